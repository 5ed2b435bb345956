//! Calls of other models of the process, without a codec.
//!
//! A [`Call`] converts its arguments to a request, which enters the queue of the called model. It
//! inherits the priority, the queue timeout, the cancellation and the trace of the requests for
//! which the calling function runs.

mod arity;
mod call;
mod call_record;
mod cancellation_wakers;
mod inherited;
mod inputs;
#[cfg(test)]
mod memory_tests;
mod parameter;
mod pending;
mod response_mode;
mod responses;
mod result_memory;
mod result_reader;
mod signatures;
mod unsent_call;

pub use call::Call;
pub use pending::PendingCall;
pub use response_mode::ResponseMode;
pub use responses::CallResponses;
