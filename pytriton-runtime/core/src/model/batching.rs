/// Triton's dynamic batcher.
///
/// Source: `ModelDynamicBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicBatching {
    /// Batch sizes that are sent at once when they are reached; empty for the maximum only.
    pub preferred_batch_size: Vec<u32>,
    /// How long the oldest request may wait for others, in microseconds.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses are sent in the order of their requests.
    pub preserve_ordering: bool,
    /// The queue policy of all levels without their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels; `None` serves requests in order of arrival.
    pub priorities: Option<Priorities>,
}

/// The priority levels of a model's requests; level 1 is served first.
///
/// Source: `priority_levels`, `default_priority_level` and `priority_queue_policy` of
/// `ModelDynamicBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Priorities {
    /// The number of levels.
    pub levels: u64,
    /// The level of requests that name none, or an unknown one.
    pub default_level: u64,
    /// The levels with their own policy, ascending.
    pub queue_policies: Vec<(u64, QueuePolicy)>,
}

/// Limits on waiting requests.
///
/// Source: `ModelQueuePolicy` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// The action taken when the timeout of a queued request expires.
    pub timeout_action: TimeoutAction,
    /// The timeout in the queue, in microseconds; 0 for no limit.
    pub default_timeout_microseconds: u64,
    /// Whether a request's own `timeout` parameter may shorten that.
    pub allow_timeout_override: bool,
    /// The maximum number of waiting requests; 0 for the server's limit.
    pub max_queue_size: u32,
}

impl QueuePolicy {
    /// The default policy.
    pub const DEFAULT: Self = Self {
        timeout_action: TimeoutAction::Reject,
        default_timeout_microseconds: 0,
        allow_timeout_override: false,
        max_queue_size: 0,
    };
}

/// The action taken when the timeout of a queued request expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutAction {
    /// It is refused with an error.
    Reject,
    /// It is served after all requests whose timeout has not expired.
    Delay,
}
