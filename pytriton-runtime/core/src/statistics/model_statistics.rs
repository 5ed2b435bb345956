use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::CounterValues;

/// A number of events and their total duration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatisticDuration {
    /// The number of events.
    pub count: u64,
    /// The total duration, in nanoseconds.
    pub ns: u64,
}

impl StatisticDuration {
    /// Adds `count` events of `ns` nanoseconds each.
    pub fn add(&mut self, count: u64, ns: u64) {
        self.count += count;
        self.ns = self.ns.saturating_add(ns.saturating_mul(count));
    }
}

/// A duration in nanoseconds.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The durations of the phases of an execution, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Durations {
    /// Gathering the inputs.
    pub compute_input: u64,
    /// Calling the function.
    pub compute_infer: u64,
    /// Distributing the outputs.
    pub compute_output: u64,
}

impl Durations {
    /// The total duration.
    pub fn total(&self) -> Duration {
        let parts = [self.compute_input, self.compute_infer, self.compute_output];
        Duration::from_nanos(parts.into_iter().fold(0, u64::saturating_add))
    }
}

/// The executions of one batch size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchStatistics {
    /// Gathering the inputs.
    pub compute_input: StatisticDuration,
    /// Calling the function.
    pub compute_infer: StatisticDuration,
    /// Distributing the outputs.
    pub compute_output: StatisticDuration,
}

/// The reason of a failed request, for the label of Triton's `nv_inference_request_failure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureReason {
    /// The queue was full, or the request timed out in the queue.
    Rejected,
    /// The client disconnected or cancelled.
    Canceled,
    /// The function failed.
    Backend,
    /// Any other reason.
    Other,
}

impl FailureReason {
    /// All reasons, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::Rejected, Self::Canceled, Self::Backend, Self::Other];

    /// The value of the label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rejected => "REJECTED",
            Self::Canceled => "CANCELED",
            Self::Backend => "BACKEND",
            Self::Other => "OTHER",
        }
    }
}

/// The responses of a decoupled model with the same index within their requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResponseStatistics {
    /// From the previous response, or the call, to this one.
    pub compute_infer: StatisticDuration,
    /// Distribution of their outputs.
    pub compute_output: StatisticDuration,
    /// Successful responses.
    pub success: StatisticDuration,
    /// Failed responses.
    pub fail: StatisticDuration,
}

/// The statistics of a model since the start of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelStatistics {
    /// The statistics of all requests.
    pub totals: ModelTotals,
    /// The executions by batch size.
    pub batches: BTreeMap<usize, BatchStatistics>,
    /// The responses by their index within the request, from 0.
    pub responses: BTreeMap<u32, ResponseStatistics>,
}

/// The statistics of all requests of a model. Unlike those of each batch size and response, their
/// number is fixed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelTotals {
    /// The time of the last inference.
    pub last_inference: Option<SystemTime>,
    /// The number of executed rows.
    pub inference_count: u64,
    /// The number of executions.
    pub execution_count: u64,
    /// Successful requests, from arrival to response.
    pub success: StatisticDuration,
    /// Failed requests, from arrival to response.
    pub fail: StatisticDuration,
    /// Successful requests: time in the queue.
    pub queue: StatisticDuration,
    /// Successful requests: gathering the inputs.
    pub compute_input: StatisticDuration,
    /// Successful requests: the function.
    pub compute_infer: StatisticDuration,
    /// Successful requests: distributing the outputs.
    pub compute_output: StatisticDuration,
    /// Requests served from the response cache: the lookup.
    pub cache_hit: StatisticDuration,
    /// Requests not found in the response cache: the lookup and the insertion.
    pub cache_miss: StatisticDuration,
    /// Failed requests by reason, in the order of [`FailureReason::ALL`].
    pub failures: [u64; 4],
    /// The counters beyond those of Triton.
    pub counters: CounterValues,
    /// The number of waiting requests.
    pub pending: u64,
    /// The number of requests being executed.
    pub running: u64,
}

impl ModelTotals {
    /// Returns the time of the last inference in milliseconds since the epoch; 0 for none.
    pub fn last_inference_ms(&self) -> u64 {
        let last = self.last_inference.unwrap_or(UNIX_EPOCH);
        let since = last.duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_secs() * 1000 + u64::from(since.subsec_millis())
    }
}
