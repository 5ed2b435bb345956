//! Queues in front of functions that process batches.
//!
//! A [`Scheduler`] serves one model: [`Scheduler::infer`] queues a request and waits for the
//! response, [`Scheduler::stream`] returns responses as they are produced. Each instance of the
//! model is a thread that takes the next batch when it is idle. A [`Policy`] decides what a batch
//! is, as a pure function. Requests of a sequence wait behind each other for the same instance. A
//! request whose future is dropped leaves the queue at once. With `inline = true`, the thread that
//! read a request may execute it itself, if an instance is idle and no request waits before it.
//!
//! [`BatchQueue`] is a scheduler around a closure. [`cache`] is a response cache.
//!
//! The policies are those of Triton 2.51.

mod batch_completion;
mod batch_forming;
mod batch_queue;
mod batch_size;
pub mod cache;
mod completion_context;
#[cfg(test)]
mod cost_tests;
mod decision;
#[cfg(test)]
mod device_tests;
mod dynamic;
#[cfg(test)]
mod forming_tests;
mod handle;
mod inline;
#[cfg(test)]
mod inline_tests;
mod instance;
mod level;
mod message;
mod notifier;
mod ordered_responses;
#[cfg(test)]
mod ordered_tests;
mod policy;
mod prefetch;
mod priority_queue;
#[cfg(test)]
mod priority_tests;
mod queue;
mod reaper;
mod reorder_buffer;
mod resources;
mod response_stream;
mod sequences;
#[cfg(test)]
mod served;
mod slots;
#[cfg(test)]
mod slots_tests;
mod slow_calls;
#[cfg(test)]
mod stalled_tests;
mod start_delay;
mod streamed;
#[cfg(test)]
mod streamed_broken_tests;
#[cfg(test)]
mod streamed_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
mod workers;

pub use batch_queue::{BatchQueue, BatchQueueError};
pub use batch_size::BatchSize;
pub use decision::{Candidate, Decision};
pub use handle::Scheduler;
pub use level::Level;
pub use policy::Policy;
pub use pytriton_core::runtime_models::Model;
pub use resources::Resources;
pub use response_stream::ResponseStream;
pub use workers::Workers;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
