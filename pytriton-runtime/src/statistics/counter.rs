use std::collections::BTreeMap;
use std::time::Duration;

/// How often something happened and how long it took in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatisticDuration {
    /// How often.
    pub count: u64,
    /// How long in all, in nanoseconds.
    pub ns: u64,
}

impl StatisticDuration {
    /// Adds `count` events of `ns` nanoseconds each.
    pub fn add(&mut self, count: u64, ns: u64) {
        self.count += count;
        self.ns = self.ns.saturating_add(ns.saturating_mul(count));
    }
}

/// A duration as statistics count it.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long the parts of an execution took, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Durations {
    /// Gathering the inputs.
    pub compute_input: u64,
    /// The function.
    pub compute_infer: u64,
    /// Giving back the outputs.
    pub compute_output: u64,
}

impl Durations {
    /// All parts together.
    pub fn total(&self) -> Duration {
        let parts = [self.compute_input, self.compute_infer, self.compute_output];
        parts.into_iter().map(Duration::from_nanos).sum()
    }
}

/// The executions of one batch size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchStatistics {
    /// Gathering the inputs.
    pub compute_input: StatisticDuration,
    /// The function.
    pub compute_infer: StatisticDuration,
    /// Giving back the outputs.
    pub compute_output: StatisticDuration,
}

/// Why a request failed, as Triton's `nv_inference_request_failure` labels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureReason {
    /// The queue was full, or the request waited too long.
    Rejected,
    /// The client went away.
    Canceled,
    /// The function failed.
    Backend,
    /// Anything else.
    Other,
}

impl FailureReason {
    /// Every reason, in the order of the enumeration.
    pub const ALL: [Self; 4] = [Self::Rejected, Self::Canceled, Self::Backend, Self::Other];

    /// The label's value.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Rejected => "REJECTED",
            Self::Canceled => "CANCELED",
            Self::Backend => "BACKEND",
            Self::Other => "OTHER",
        }
    }
}

/// The answers of a decoupled model that were the how-manieth to their requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerStatistics {
    /// From the answer before, or the call, to this one.
    pub compute_infer: StatisticDuration,
    /// While their outputs were given back.
    pub compute_output: StatisticDuration,
    /// Those that are no failures.
    pub success: StatisticDuration,
    /// Those that are failures.
    pub fail: StatisticDuration,
}

/// What one model has done since the server started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelStatistics {
    /// When the last inference was executed, in milliseconds since the epoch; 0 for never.
    pub last_inference: u64,
    /// Rows that were executed.
    pub inference_count: u64,
    /// Executions, whatever their batch size.
    pub execution_count: u64,
    /// Requests that succeeded, from their arrival to their response.
    pub success: StatisticDuration,
    /// Requests that failed, likewise.
    pub fail: StatisticDuration,
    /// Requests that succeeded, while they waited.
    pub queue: StatisticDuration,
    /// Requests that succeeded, while their inputs were gathered.
    pub compute_input: StatisticDuration,
    /// Requests that succeeded, while the function ran.
    pub compute_infer: StatisticDuration,
    /// Requests that succeeded, while their outputs were given back.
    pub compute_output: StatisticDuration,
    /// Requests that were answered from the response cache, while it was looked through.
    pub cache_hit: StatisticDuration,
    /// Requests that were executed because the response cache had no response, while it was looked through and filled.
    pub cache_miss: StatisticDuration,
    /// The executions of each batch size.
    pub batches: BTreeMap<usize, BatchStatistics>,
    /// The answers by their place among those to one request, from 0.
    pub answers: BTreeMap<u32, AnswerStatistics>,
    /// The failed requests by reason, in the order of [`FailureReason::ALL`].
    pub failures: [u64; 4],
    /// How long the instances have executed batches, all together, in nanoseconds.
    pub busy: u64,
    /// Requests that wait now.
    pub pending: u64,
    /// Requests that are being executed now.
    pub running: u64,
}
