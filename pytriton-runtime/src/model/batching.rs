/// Triton's dynamic batcher.
///
/// Source: `ModelDynamicBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicBatching {
    /// Batch sizes that are sent at once when they are reached; empty for the maximum alone.
    pub preferred_batch_size: Vec<u32>,
    /// How long the oldest request may wait for company, in microseconds.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses leave in the order in which their requests came.
    pub preserve_ordering: bool,
    /// What becomes of requests that wait, on all levels that have no policy of their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels; `None` serves requests in the order in which they came.
    pub priorities: Option<Priorities>,
}

/// The priority levels of a model's requests, of which 1 goes first.
///
/// Source: `priority_levels`, `default_priority_level` and `priority_queue_policy` of `ModelDynamicBatching` in Triton's
/// `model_config.proto`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Priorities {
    /// How many levels there are.
    pub levels: u32,
    /// The level of requests that name none, or one that there is not.
    pub default_level: u32,
    /// The levels that have a policy of their own, ascending.
    pub queue_policies: Vec<(u32, QueuePolicy)>,
}

/// How long and how many requests may wait.
///
/// Source: `ModelQueuePolicy` in Triton's `model_config.proto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// What happens to a request whose timeout passes while it waits.
    pub timeout_action: TimeoutAction,
    /// How long a request may wait, in microseconds; 0 for no limit.
    pub default_timeout_microseconds: u64,
    /// Whether a request's own `timeout` parameter may shorten that.
    pub allow_timeout_override: bool,
    /// How many requests may wait; 0 for the server's own bound.
    pub max_queue_size: u32,
}

impl QueuePolicy {
    /// The policy of a model that says nothing of it.
    pub const DEFAULT: Self = Self {
        timeout_action: TimeoutAction::Reject,
        default_timeout_microseconds: 0,
        allow_timeout_override: false,
        max_queue_size: 0,
    };
}

/// What happens to a request whose timeout passes while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutAction {
    /// It is answered with an error.
    Reject,
    /// It is served after all that have not timed out.
    Delay,
}
