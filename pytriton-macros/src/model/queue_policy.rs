use super::args::MOST;
use crate::errors::Errors;
use crate::options::Options;

/// The options that say how long and how many requests may wait.
pub(super) const QUEUE_POLICY: [&str; 4] = [
    "max_queue_size",
    "default_timeout_microseconds",
    "timeout_action",
    "allow_timeout_override",
];

/// How long and how many requests may wait: those of a model, or of one priority level.
#[derive(Debug)]
pub(super) struct QueuePolicy {
    pub(super) max_queue_size: u32,
    pub(super) default_timeout_microseconds: u64,
    /// Whether a request that waited too long is served late instead of refused.
    pub(super) delay: bool,
    pub(super) allow_timeout_override: bool,
}

impl QueuePolicy {
    pub(super) fn parse(options: &Options, errors: &mut Errors) -> Self {
        let policy = Self {
            max_queue_size: options
                .integer("max_queue_size", &(0..=MOST), errors)
                .unwrap_or(0),
            default_timeout_microseconds: options
                .integer("default_timeout_microseconds", &(0..=u64::MAX), errors)
                .unwrap_or(0),
            delay: timeout_action(options, errors),
            allow_timeout_override: options
                .boolean("allow_timeout_override", errors)
                .unwrap_or(false),
        };
        if policy.allow_timeout_override && options.lacks("default_timeout_microseconds") {
            errors.push(
                options.key("allow_timeout_override"),
                "a request can only shorten the model's timeout: write `default_timeout_microseconds = …` too, or remove it",
            );
        }
        policy
    }

    /// Refuses what tritonserver refuses beside `preserve_ordering`: requests that go behind others.
    pub(super) fn check_ordering(&self, options: &Options, errors: &mut Errors) {
        if self.delay && self.default_timeout_microseconds > 0 {
            errors.push(
                options.value("timeout_action"),
                "a delayed request is overtaken: write `\"reject\"`, or remove `preserve_ordering`",
            );
        }
    }
}

fn timeout_action(options: &Options, errors: &mut Errors) -> bool {
    let Some(action) = options.string("timeout_action", errors) else {
        return false;
    };
    match action.value().as_str() {
        "reject" => false,
        "delay" => true,
        _ => {
            errors.push(action, "expected `\"reject\"` or `\"delay\"`");
            false
        }
    }
}
