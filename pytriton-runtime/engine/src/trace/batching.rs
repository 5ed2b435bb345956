use std::env;
use std::time::Duration;

/// The maximum number of queued spans, which bounds their memory.
const MAX_QUEUE: usize = 1 << 20;

/// The configuration of the span queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batching {
    /// The maximum number of queued spans.
    pub queue: usize,
    /// The number of spans that are sent at once.
    pub batch: usize,
    /// The time after which fewer spans are sent.
    pub delay: Duration,
    pub(super) timeout: Duration,
}

impl Batching {
    /// Reads the configuration from the variables of the OpenTelemetry specification.
    pub fn from_env() -> Self {
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

    /// Limits the queue to the maximum, and the batch to the queue.
    pub fn bounded(self) -> Self {
        let queue = self.queue.clamp(1, MAX_QUEUE);
        Self {
            queue,
            batch: self.batch.clamp(1, queue),
            ..self
        }
    }
}
