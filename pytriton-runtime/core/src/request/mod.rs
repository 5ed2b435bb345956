//! Requests and responses of models. Pure: no I/O, no tasks.
//!
//! A codec decodes an [`InferRequest`], and [`Request::check`] compares it with its model. The
//! resulting [`Request`] is queued, batched and passed to the function.

mod arrival;
mod check;
#[cfg(test)]
mod check_tests;
mod cost;
mod elements;
mod ended;
mod error;
mod generation;
mod identity;
mod infer;
mod input_error;
mod parameters;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod request;
mod requested;
mod response;
mod scope;
mod sequence;
mod small_vec;
mod trace_events;

pub use arrival::{Arrival, ArrivalOrder};
pub(crate) use ended::Ended;
pub use error::{RequestError, RequestId};
pub use generation::Generation;
pub use identity::Identity;
pub use infer::{InferInput, InferRequest, RequestedOutput};
pub use input_error::InputError;
pub use parameters::Parameters;
pub use pytriton_protocol::ParameterValue;
pub use request::Request;
pub use requested::Requested;
pub use response::Response;
pub use scope::{batch_scope, function_scope};

pub use sequence::{Sequence, SequenceId};
pub use small_vec::SmallVec;
pub use trace_events::TraceEvents;
