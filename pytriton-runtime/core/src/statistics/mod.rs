//! Model statistics: exact counts and durations, as in Triton's statistics extension. Pure.

mod call_graph;
mod counter;
mod histogram;
mod latencies;
mod model_statistics;
mod recorder;
mod summary;

pub use call_graph::{CallCounter, CallGraph, CallStatistics};
pub use counter::{Counter, CounterUnit, CounterValues};
pub use histogram::Histogram;
pub use latencies::{Histograms, Latencies, Summaries};
pub use model_statistics::nanoseconds;
pub use model_statistics::{
    BatchStatistics, Durations, FailureReason, ModelStatistics, ModelTotals, ResponseStatistics,
    StatisticDuration,
};
pub use recorder::MAX_RESPONSE_STATISTICS;
pub use recorder::{CacheHit, Execution, Recorder, RequestOutcome, Success};
pub use summary::Summary;
