//! The access log: one line for each request that a port has received, even if it is refused.
//!
//! The line is written when the body of the response has been handed over or is dropped. Until
//! then, the request is the [`current`](inference::attach) one of the task, so that its inferences
//! report their model and times without being passed through every layer.

mod connection;
mod inference;
mod logged_request;

pub(crate) use connection::ConnectionLog;
pub(crate) use inference::attach;
pub(crate) use logged_request::PendingLine;
