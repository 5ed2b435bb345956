use std::fmt::Debug;

use tokio::time::Instant;

use crate::model::ModelSpec;
use crate::statistics::Durations;

use super::{Request, Response};

/// Who notes what happens to a request.
pub trait Traced: Debug + Send + Sync {
    /// Something happens now.
    fn now(&self, name: &'static str);

    /// The request begins to wait for its model.
    fn waits(&self, request: &Request);

    /// A call for it began at that time, and its parts took so long.
    fn computed(&self, begun: Instant, durations: Durations);

    /// It has a response, perhaps one of several.
    fn answered(&self, model: &ModelSpec, response: &Response);
}
