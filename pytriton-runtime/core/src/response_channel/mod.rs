//! The channel that carries the responses to one request: any number of them, of which the last one
//! ends the channel.

mod channel;
mod error;

use crate::request::Response;

pub use channel::{ReceiverStatus, ResponseReceiver, ResponseSender, response_channel};
pub use error::SchedulerError;

/// The result of a request.
pub type Outcome = Result<Response, SchedulerError>;
