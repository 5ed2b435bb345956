use crate::model::{DynamicBatching, Priorities, QueuePolicy, SequenceBatching, SequenceStrategy};

/// [`DynamicBatching`] as a constant.
#[derive(Debug, Clone, Copy)]
pub struct DynamicBatchingDeclaration {
    /// Batch sizes that are sent at once when they are reached; empty for the maximum only.
    pub preferred_batch_size: &'static [u32],
    /// How long the oldest request may wait for others, in microseconds.
    pub max_queue_delay_microseconds: u64,
    /// Whether responses are sent in the order of their requests.
    pub preserve_ordering: bool,
    /// The queue policy of all levels without their own.
    pub queue_policy: QueuePolicy,
    /// The priority levels; `None` serves requests in order of arrival.
    pub priorities: Option<PrioritiesDeclaration>,
}

/// [`Priorities`] as a constant.
#[derive(Debug, Clone, Copy)]
pub struct PrioritiesDeclaration {
    /// The number of levels.
    pub levels: u32,
    /// The level of requests that name none, or an unknown one.
    pub default_level: u32,
    /// The levels with their own policy.
    pub queue_policies: &'static [(u32, QueuePolicy)],
}

/// [`SequenceBatching`] as a constant.
#[derive(Debug, Clone, Copy)]
pub struct SequenceBatchingDeclaration {
    /// The maximum time between two requests of a sequence, in microseconds; 0 for Triton's default
    /// of one second.
    pub max_sequence_idle_microseconds: u64,
    /// How requests of several sequences form a batch.
    pub strategy: SequenceStrategyDeclaration,
}

/// [`SequenceStrategy`] as a constant.
#[derive(Debug, Clone, Copy)]
pub enum SequenceStrategyDeclaration {
    /// Each sequence has its own row in the batches of its instance.
    Direct {
        /// How long the oldest request may wait for others, in microseconds.
        max_queue_delay_microseconds: u64,
        /// The fraction of rows that must be filled before a batch starts earlier; 0 for any.
        minimum_slot_utilization: f32,
    },
    /// The oldest requests of all sequences are served first.
    Oldest {
        /// The number of sequences that an instance serves concurrently; 0 for the maximum batch
        /// size.
        max_candidate_sequences: u32,
        /// Batch sizes that are sent at once when they are reached; empty for the maximum only.
        preferred_batch_size: &'static [u32],
        /// How long the oldest request may wait for others, in microseconds.
        max_queue_delay_microseconds: u64,
        /// Whether responses are sent in the order of their requests.
        preserve_ordering: bool,
    },
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

impl SequenceBatchingDeclaration {
    /// The batcher of a model with this maximum batch size, with Triton's defaults.
    pub(crate) fn of(self, max_batch_size: u32) -> SequenceBatching {
        SequenceBatching {
            max_sequence_idle_microseconds: match self.max_sequence_idle_microseconds {
                0 => SequenceBatching::DEFAULT_IDLE_MICROSECONDS,
                microseconds => microseconds,
            },
            strategy: self.strategy.of(max_batch_size),
        }
    }
}

impl SequenceStrategyDeclaration {
    fn of(self, max_batch_size: u32) -> SequenceStrategy {
        match self {
            Self::Direct {
                max_queue_delay_microseconds,
                minimum_slot_utilization,
            } => SequenceStrategy::Direct {
                max_queue_delay_microseconds,
                minimum_slot_utilization,
            },
            Self::Oldest {
                max_candidate_sequences,
                preferred_batch_size,
                max_queue_delay_microseconds,
                preserve_ordering,
            } => SequenceStrategy::Oldest {
                max_candidate_sequences: match max_candidate_sequences {
                    0 => max_batch_size.max(1),
                    sequences => sequences,
                },
                preferred_batch_size: preferred_batch_size.to_vec(),
                max_queue_delay_microseconds,
                preserve_ordering,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_defaults_match_triton() {
        let oldest = |candidates| SequenceStrategyDeclaration::Oldest {
            max_candidate_sequences: candidates,
            preferred_batch_size: &[],
            max_queue_delay_microseconds: 0,
            preserve_ordering: false,
        };
        let direct = SequenceStrategyDeclaration::Direct {
            max_queue_delay_microseconds: 0,
            minimum_slot_utilization: 0.0,
        };
        let table = [
            (direct, 0, 0, 1_000_000, 1),
            (direct, 7, 4, 7, 4),
            (oldest(0), 0, 0, 1_000_000, 1),
            (oldest(0), 1, 4, 1, 4),
            (oldest(9), 0, 4, 1_000_000, 9),
            (oldest(2), 0, 4, 1_000_000, 2),
        ];
        for (strategy, idle, max_batch_size, expected_idle, expected_slots) in table {
            let declaration = SequenceBatchingDeclaration {
                max_sequence_idle_microseconds: idle,
                strategy,
            };
            let batching = declaration.of(max_batch_size);
            let got = batching.max_sequence_idle_microseconds;
            assert_eq!(got, expected_idle, "{declaration:?}");
            let got = batching.slots(max_batch_size);
            assert_eq!(got, expected_slots, "{declaration:?} {max_batch_size}");
        }
    }
}
