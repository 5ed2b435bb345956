//! Scheduling: bounded queues, Triton's dynamic batcher, cancellation, and the instances that
//! execute batches.
//!
//! [`Scheduler::infer`] queues a request for its model and waits for the response. Each instance of
//! the model is a thread that takes the next batch when it is idle. [`Policy`] decides what a batch
//! is (pure), and the queue holds the requests until then. Requests of sequences wait behind each
//! other, in `sequences`. A request whose future is dropped leaves the queue at once. With `inline
//! = true`, the thread that read a request may execute it itself, if an instance is idle and no
//! request waits before it.

mod batch_forming;
mod bell;
mod decision;
#[cfg(test)]
mod device_tests;
mod dynamic;
#[cfg(test)]
mod forming_tests;
mod handle;
#[cfg(test)]
mod hanging_tests;
mod hearing;
mod inline;
#[cfg(test)]
mod inline_tests;
mod instance;
mod level;
mod line;
mod message;
mod order;
mod ordered;
#[cfg(test)]
mod ordered_tests;
mod policy;
mod prefetch;
#[cfg(test)]
mod priority_tests;
mod queue;
mod replies;
mod resources;
mod sequences;
#[cfg(test)]
mod served;
mod slots;
#[cfg(test)]
mod slots_tests;
mod slow_calls;
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

pub use decision::{Candidate, Decision};
pub use handle::Scheduler;
pub use hearing::Hearing;
pub use level::Level;
pub use policy::Policy;
pub use resources::Resources;
pub use workers::Workers;
