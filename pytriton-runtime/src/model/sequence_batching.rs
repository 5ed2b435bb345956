/// Triton's sequence batcher: requests of one sequence are served one after another, by the same instance.
///
/// Source: `ModelSequenceBatching` in Triton's `model_config.proto`.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceBatching {
    /// How long a sequence may have no request before it is forgotten, in microseconds.
    pub max_sequence_idle_microseconds: u64,
    /// How the requests of several sequences make a batch.
    pub strategy: SequenceStrategy,
}

/// How the requests of several sequences make a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum SequenceStrategy {
    /// A sequence has a row of its instance's batches to itself.
    Direct {
        /// How long the oldest request may wait for company, in microseconds.
        max_queue_delay_microseconds: u64,
        /// How much of the rows must have a request for a batch to go before that; 0 for any.
        minimum_slot_utilization: f32,
    },
    /// The oldest requests go first, whatever sequences they are of.
    Oldest {
        /// How many sequences an instance serves at a time.
        max_candidate_sequences: u32,
        /// Batch sizes that are sent at once when they are reached; empty for the maximum alone.
        preferred_batch_size: Vec<u32>,
        /// How long the oldest request may wait for company, in microseconds.
        max_queue_delay_microseconds: u64,
        /// Whether responses leave in the order in which their requests came.
        preserve_ordering: bool,
    },
}

impl SequenceBatching {
    /// Triton's idle time of a sequence where nothing is said, in microseconds.
    pub const DEFAULT_IDLE_MICROSECONDS: u64 = 1_000_000;

    /// How many sequences an instance serves at a time.
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
