//! Requests and responses of models. Pure: no I/O, no tasks.
//!
//! A codec decodes an [`InferRequest`], and [`Request::check`] compares it with its model. The
//! resulting [`Request`] is queued, batched and passed to the function.

#[cfg(feature = "embedded")]
mod arrival;
mod check;
#[cfg(test)]
mod check_tests;
mod elements;
mod ended;
mod error;
mod generation;
mod infer;
mod parameters;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod request;
mod requested;
mod response;
mod sequence;
mod small_vec;
mod trace_events;

#[cfg(feature = "embedded")]
pub(crate) use arrival::{Arrival, ArrivalOrder};
pub(crate) use ended::Ended;
pub use error::{RequestError, RequestId};
pub(crate) use generation::Generation;
pub use infer::{InferInput, InferRequest, RequestedOutput};
pub use parameters::Parameters;
pub use pytriton_protocol::ParameterValue;
pub use request::Request;
pub(crate) use requested::Requested;
pub use response::Response;
pub use sequence::{Sequence, SequenceId};
pub use small_vec::SmallVec;
pub use trace_events::TraceEvents;
