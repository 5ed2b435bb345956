//! The waiting room: a bounded queue, batching, cancellation, and the instances that execute.

mod error;

pub use error::SchedulerError;
