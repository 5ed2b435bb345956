use std::time::Duration;

use pytriton_core::model::{BatcherOptions, CallMode, ModelSpec, QueuePolicy, SequenceScheduling};

use super::BatchSize;
use super::level::Level;

/// The number of batches that are formed ahead for each busy instance.
const PREFETCHED: usize = 2;

/// When and how waiting requests are batched: Triton's dynamic batcher as a pure function.
///
/// Source: `DynamicBatchScheduler::GetDynamicBatch` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The maximum number of rows of a batch.
    pub max_batch_size: usize,
    /// The maximum cost of a batch of several requests; `u64::MAX` for no limit.
    pub max_batch_cost: u64,
    /// Numbers of rows that are taken as soon as they are reached, ascending. Empty if requests are
    /// executed separately.
    pub preferred_batch_sizes: Vec<usize>,
    /// How long the oldest request may wait for others.
    pub max_queue_delay: Duration,
    /// The number of batches that are formed while all instances are busy. 0 if this is disabled or
    /// makes no difference.
    pub prefetched: usize,
    /// Whether responses leave in the order of their requests.
    pub preserve_ordering: bool,
    /// The number of priority levels; level 1 is served first.
    pub levels: u64,
    /// The level of requests without a priority.
    pub default_level: u64,
    /// The limits of levels without their own.
    pub limits: Level,
    /// The levels with their own limits, ascending.
    pub own_limits: Vec<(u64, Level)>,
}

impl Policy {
    /// Creates the policy of a model. The default queue size applies to queues without their own.
    pub fn new(spec: &ModelSpec, default_queue_size: usize) -> Self {
        let max_batch_size = (spec.max_batch_size as usize).max(1);
        let batcher = spec.batcher.as_ref().filter(|_| spec.batching());
        let options = batcher.map_or(BatcherOptions::DEFAULT, |batcher| batcher.options);
        let queue = batcher.map_or(QueuePolicy::DEFAULT, |batcher| batcher.queue_policy);
        let sizes = batcher.iter();
        let sizes = sizes.flat_map(|batcher| &batcher.preferred_batch_size);
        let mut preferred: Vec<usize> = sizes.map(|&size| size as usize).collect();
        if spec.call == CallMode::Request {
            // Requests that are not stacked gain nothing from batching, and would wait for the
            // whole batch.
            preferred.clear();
        } else if batcher.is_some() && preferred.is_empty() {
            preferred.push(max_batch_size);
        }
        preferred.sort_unstable();
        let sequences = batcher.and_then(|batcher| batcher.sequences);
        // As in Triton: no batches are formed ahead in a queue whose requests can be refused or
        // delayed.
        let plain = options.priority_levels == 0
            && queue.default_timeout_microseconds == 0
            && !queue.allow_timeout_override
            && queue.max_queue_size == 0;
        let sized = preferred
            .first()
            .is_some_and(|&size| size != max_batch_size);
        let prefetched = match plain && sized && sequences.is_none() {
            true => PREFETCHED * spec.instances.count() as usize,
            false => 0,
        };
        let own_limits = batcher.iter();
        let own_limits = own_limits.flat_map(|batcher| &batcher.priority_queue_policy);
        Self {
            max_batch_size,
            max_batch_cost: spec.call_options.cost_limit(),
            preferred_batch_sizes: preferred,
            max_queue_delay: match sequences {
                // The slots delay their requests themselves.
                Some(SequenceScheduling::Direct) => Duration::ZERO,
                _ => Duration::from_micros(options.max_queue_delay_microseconds),
            },
            prefetched,
            preserve_ordering: options.preserve_ordering,
            levels: options.priority_levels.max(1),
            default_level: options.default_priority_level.max(1),
            limits: Level::new(queue, default_queue_size),
            own_limits: own_limits
                .map(|&(level, policy)| (level, Level::new(policy, default_queue_size)))
                .collect(),
        }
    }

    /// Returns the level of requests with this priority (0 for none).
    ///
    /// As in Triton, an unknown priority means the default level.
    pub fn level(&self, priority: u64) -> u64 {
        match (1..=self.levels).contains(&priority) {
            true => priority,
            false => self.default_level,
        }
    }

    /// Returns whether several requests of this size may be one batch.
    pub fn fits(&self, size: BatchSize) -> bool {
        size.rows <= self.max_batch_size && size.cost <= self.max_batch_cost
    }

    /// Returns the limits of a level.
    pub fn limits_of(&self, level: u64) -> &Level {
        let own = self.own_limits.binary_search_by_key(&level, |own| own.0);
        own.map_or(&self.limits, |index| &self.own_limits[index].1)
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn request_waits_on_its_priority_level() {
        const LEVELS: [(u64, QueuePolicy); 1] = [(3, QueuePolicy::DEFAULT.max_queue_size(7))];
        let three = policy_of(ModelOptions {
            priority_levels: 3,
            default_priority_level: 2,
            priority_queue_policy: &LEVELS,
            ..IDENTITY.options
        });
        let sizes = [1, 2, 3].map(|level| three.limits_of(level).max_queue_size);
        assert_eq!(sizes, [16, 16, 7]);
        let one = policy_of(IDENTITY.options);
        let table = [(0, 2), (1, 1), (2, 2), (3, 3), (4, 2), (u64::MAX, 2)];
        for (priority, expected) in table {
            assert_eq!(three.level(priority), expected, "{priority}");
            assert_eq!(one.level(priority), 1, "{priority}");
        }
    }

    fn policy_of(options: ModelOptions<'static>) -> Policy {
        let declaration = ModelDeclaration {
            options,
            ..IDENTITY
        };
        Policy::new(&declaration.spec().unwrap(), 16)
    }
}
