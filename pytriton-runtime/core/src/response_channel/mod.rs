//! The channel that carries all responses to one request. The last response ends the channel.

mod channel;
mod error;

use crate::request::Response;

pub use channel::{ReceiverStatus, ResponseReceiver, ResponseSender, response_channel};
pub use error::SchedulerError;

/// The result of a request.
pub type Outcome = Result<Response, SchedulerError>;
