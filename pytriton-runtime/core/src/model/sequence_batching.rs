/// Triton's sequence batcher: one instance serves the requests of a sequence one after the other.
///
/// Source: `ModelSequenceBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceBatching {
    /// The maximum time between two requests of a sequence, in microseconds.
    pub max_sequence_idle_microseconds: u64,
    /// How requests of several sequences form a batch.
    pub strategy: SequenceStrategy,
}

/// How requests of several sequences form a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum SequenceStrategy {
    /// Each sequence has its own row in the batches of its instance.
    Direct {
        /// How long the oldest request may wait for others, in microseconds.
        max_queue_delay_microseconds: u64,
        /// The fraction of rows that must be filled before a batch starts earlier; 0 for any.
        minimum_slot_utilization: f32,
    },
    /// The oldest requests of all sequences are served first.
    Oldest {
        /// The number of sequences that an instance serves concurrently.
        max_candidate_sequences: u32,
        /// Batch sizes that are sent at once when they are reached; empty for the maximum only.
        preferred_batch_size: Vec<u32>,
        /// How long the oldest request may wait for others, in microseconds.
        max_queue_delay_microseconds: u64,
        /// Whether responses are sent in the order of their requests.
        preserve_ordering: bool,
    },
}

impl SequenceBatching {
    /// Triton's default for the maximum idle time of a sequence, in microseconds.
    pub const DEFAULT_IDLE_MICROSECONDS: u64 = 1_000_000;

    /// The number of sequences that an instance serves concurrently.
    pub fn slots(&self, max_batch_size: u32) -> u32 {
        match self.strategy {
            SequenceStrategy::Direct { .. } => max_batch_size.max(1),
            SequenceStrategy::Oldest {
                max_candidate_sequences,
                ..
            } => max_candidate_sequences,
        }
    }
}
