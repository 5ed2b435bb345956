//! Batches as the Triton backend gathers them: from descriptions to requests, and from results to
//! responses. Also the queue to instances on other threads.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod backend_batch;
mod batch_queue;
mod cancellation_sink;
mod cancellation_timer;
mod codes;
#[cfg(test)]
mod isolation_tests;
mod names;

pub(crate) use backend_batch::{BackendBatch, Results};
pub(crate) use batch_queue::{BatchReceiver, BatchSender, QueuedBatch, batch_queue, refuse};
pub(crate) use cancellation_sink::CancellationSink;
pub(crate) use cancellation_timer::CancellationTimer;
pub(crate) use codes::{code, parameter};
pub(crate) use names::{names, welcome};
