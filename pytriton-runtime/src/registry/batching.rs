use crate::model::{DynamicBatching, Priorities, QueuePolicy};

/// [`DynamicBatching`] as a constant.
#[derive(Debug, Clone, Copy)]
pub struct DynamicBatchingDeclaration {
    /// Batch sizes that are sent at once when they are reached; empty for the maximum alone.
    pub preferred_batch_size: &'static [u32],
    /// How long the oldest request may wait for company, in microseconds.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses leave in the order in which their requests came.
    pub preserve_ordering: bool,
    /// What becomes of requests that wait, on all levels that have no policy of their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels; `None` serves requests in the order in which they came.
    pub priorities: Option<PrioritiesDeclaration>,
}

/// [`Priorities`] as a constant.
#[derive(Debug, Clone, Copy)]
pub struct PrioritiesDeclaration {
    /// How many levels there are.
    pub levels: u32,
    /// The level of requests that name none, or one that there is not.
    pub default_level: u32,
    /// The levels that have a policy of their own.
    pub queue_policies: &'static [(u32, QueuePolicy)],
}

impl From<DynamicBatchingDeclaration> for DynamicBatching {
    fn from(declaration: DynamicBatchingDeclaration) -> Self {
        Self {
            preferred_batch_size: declaration.preferred_batch_size.to_vec(),
            max_queue_delay_microseconds: declaration.max_queue_delay_microseconds,
            preserve_ordering: declaration.preserve_ordering,
            queue_policy: declaration.queue_policy,
            priorities: declaration.priorities.map(Priorities::from),
        }
    }
}

impl From<PrioritiesDeclaration> for Priorities {
    fn from(declaration: PrioritiesDeclaration) -> Self {
        let mut queue_policies = declaration.queue_policies.to_vec();
        queue_policies.sort_by_key(|(level, _)| *level);
        Self {
            levels: declaration.levels,
            default_level: declaration.default_level,
            queue_policies,
        }
    }
}
