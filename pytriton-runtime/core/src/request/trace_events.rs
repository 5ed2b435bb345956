use std::fmt::Debug;

use tokio::time::Instant;

use crate::model::ModelSpec;
use crate::statistics::Durations;

use super::{Request, Response};

/// Records trace events of a request.
pub trait TraceEvents: Debug + Send + Sync {
    /// Records an event at the current time.
    fn now(&self, name: &'static str);

    /// Records that the request enters the queue of its model.
    fn waits(&self, request: &Request);

    /// Records that the request is in a batch with this many rows, which is about to be executed.
    fn batched(&self, rows: usize);

    /// Records a call: when it began, and how long its phases took.
    fn computed(&self, begun: Instant, durations: Durations);

    /// Records a response, which may be one of several.
    fn responded(&self, model: &ModelSpec, response: &Response);
}
