use std::time::Duration;

/// What one version of a model has done since its server started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelStatistics {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// When the last inference began, in milliseconds since 1970.
    pub last_inference: u64,
    /// How many rows have been answered.
    pub inference_count: u64,
    /// In how many calls.
    pub execution_count: u64,
    /// How long requests took.
    pub inference: InferenceStatistics,
    /// How long calls took, by the rows that they had.
    pub batches: Vec<BatchStatistics>,
}

/// How long requests took in each of their parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InferenceStatistics {
    /// Those that were answered, as a whole.
    pub success: Durations,
    /// Those that failed, as a whole.
    pub fail: Durations,
    /// In the queue.
    pub queue: Durations,
    /// Until the inputs were there.
    pub compute_input: Durations,
    /// In the function.
    pub compute_infer: Durations,
    /// Until the outputs were there.
    pub compute_output: Durations,
    /// Those that came from the cache.
    pub cache_hit: Durations,
    /// Those that did not, and were put into it.
    pub cache_miss: Durations,
}

/// How long calls of so many rows took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchStatistics {
    /// The rows.
    pub batch_size: u64,
    /// Until the inputs were there.
    pub compute_input: Durations,
    /// In the function.
    pub compute_infer: Durations,
    /// Until the outputs were there.
    pub compute_output: Durations,
}

/// How often, and how long in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Durations {
    /// How often.
    pub count: u64,
    /// How long in all.
    pub total: Duration,
}

impl Durations {
    pub(super) fn new(count: u64, nanoseconds: u64) -> Self {
        let total = Duration::from_nanos(nanoseconds);
        Self { count, total }
    }
}
