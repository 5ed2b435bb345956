use std::env;
use std::time::Duration;

/// How many spans wait at most, so that they are kept for the longest time in memory that is bounded.
const MOST: usize = 1 << 20;

/// How spans are kept until they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Batching {
    pub(crate) queue: usize,
    pub(crate) batch: usize,
    pub(crate) delay: Duration,
    pub(super) timeout: Duration,
}

impl Batching {
    /// As the variables of the specification say.
    pub(crate) fn from_env() -> Self {
        let number = |name, default| {
            let value = env::var(name).ok();
            value
                .and_then(|value| value.trim().parse().ok())
                .unwrap_or(default)
        };
        let size = |name, default| usize::try_from(number(name, default)).unwrap_or(usize::MAX);
        Self {
            queue: size("OTEL_BSP_MAX_QUEUE_SIZE", 2048_u64),
            batch: size("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
            delay: Duration::from_millis(number("OTEL_BSP_SCHEDULE_DELAY", 5000)),
            timeout: Duration::from_millis(number("OTEL_BSP_EXPORT_TIMEOUT", 30_000)),
        }
        .bounded()
    }

    /// The same with no more in the queue than there is memory for, and no more sent at a time than is in it.
    pub(crate) fn bounded(self) -> Self {
        let queue = self.queue.clamp(1, MOST);
        Self {
            queue,
            batch: self.batch.clamp(1, queue),
            ..self
        }
    }
}
