//! The channel that carries all responses to one request, and the requests of a batch whose
//! responses are sent while its function runs. The last response ends the channel.

mod channel;
mod channel_state;
mod error;
mod receiver_statuses;
mod streamed_batch;
mod waiting_memory;

use crate::request::Response;

pub use channel::{ReceiverStatus, ResponseReceiver, ResponseSender, response_channel};
pub use error::SchedulerError;
pub use receiver_statuses::ReceiverStatuses;
pub use streamed_batch::{RequestSink, StreamedBatch};
pub use waiting_memory::MAX_UNRESERVED_BYTES;

/// The result of a request.
pub type Outcome = Result<Response, SchedulerError>;
