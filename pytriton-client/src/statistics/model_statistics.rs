use std::time::Duration;

/// The statistics of one version of a model since the start of its server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelStatistics {
    /// The name.
    pub name: String,
    /// The version, as the server sent it.
    pub version: String,
    /// The start of the last inference, in milliseconds since 1970.
    pub last_inference: u64,
    /// The number of rows.
    pub inference_count: u64,
    /// The number of calls.
    pub execution_count: u64,
    /// The durations of requests.
    pub inference: InferenceStatistics,
    /// The durations of calls by batch size.
    pub batches: Vec<BatchStatistics>,
}

/// The durations of requests, by phase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InferenceStatistics {
    /// Successful requests, in total.
    pub success: Durations,
    /// Failed requests, in total.
    pub fail: Durations,
    /// Time in the queue.
    pub queue: Durations,
    /// Preparation of the inputs.
    pub compute_input: Durations,
    /// Execution of the function.
    pub compute_infer: Durations,
    /// Preparation of the outputs.
    pub compute_output: Durations,
    /// Requests served from the cache.
    pub cache_hit: Durations,
    /// Requests not found in the cache, including the insertion.
    pub cache_miss: Durations,
}

/// The durations of calls with this batch size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchStatistics {
    /// The number of rows.
    pub batch_size: u64,
    /// Preparation of the inputs.
    pub compute_input: Durations,
    /// Execution of the function.
    pub compute_infer: Durations,
    /// Preparation of the outputs.
    pub compute_output: Durations,
}

/// A count and a total duration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Durations {
    /// The count.
    pub count: u64,
    /// The total duration.
    pub total: Duration,
}

impl Durations {
    pub(super) fn new(count: u64, nanoseconds: u64) -> Self {
        let total = Duration::from_nanos(nanoseconds);
        Self { count, total }
    }
}
