//! The number of requests that must wait before the first batch is formed, for Triton's own tests.
//! Only a build for these tests (`--cfg pytriton_qa`) reads the variables.

/// The number of requests that must wait in slots and in the backlog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StartThreshold {
    pub(super) slots: usize,
    pub(super) backlog: usize,
}

impl StartThreshold {
    pub(super) fn from_environment() -> Self {
        if !cfg!(pytriton_qa) {
            return Self::default();
        }
        let number = |name| {
            let value = std::env::var(name).ok();
            value
                .and_then(|value| value.parse().ok())
                .unwrap_or_default()
        };
        Self {
            slots: number("TRITONSERVER_DELAY_SCHEDULER"),
            backlog: number("TRITONSERVER_BACKLOG_DELAY_SCHEDULER"),
        }
    }
}
