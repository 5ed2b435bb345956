use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::CoreError;
use crate::ffi::InFlight;
use crate::response::{CoreResponse, ResponseEvent};

/// The responses to a request. Dropping it cancels the request.
///
/// Responses that were not read yet wait here. Their memory is reserved in the budget of the
/// [`Core`](crate::Core); if it does not suffice, because the client reads more slowly than the
/// model responds, the request is cancelled and ends with [`CoreError::Memory`].
#[derive(Debug)]
pub struct Responses(pub(crate) Arc<InFlight>);

impl Responses {
    /// Returns the next response, or `None` after the last one.
    ///
    /// # Cancel safety
    ///
    /// No response is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<ResponseEvent> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls for the next response.
    pub fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<ResponseEvent>> {
        self.0.poll(context)
    }

    /// Waits for the response of a model that sends exactly one per request.
    ///
    /// # Errors
    ///
    /// Returns the error of the request, or [`CoreError::Response`] if the model sent none or
    /// several.
    pub async fn only(mut self) -> Result<CoreResponse, CoreError> {
        let invalid = |reason: &str| CoreError::Response {
            reason: reason.to_owned(),
        };
        let mut only = None;
        while let Some(event) = self.next().await {
            if let Some(response) = event.response
                && only.replace(response?).is_some()
            {
                return Err(invalid("it sent more than one"));
            }
        }
        only.ok_or_else(|| invalid("it sent none"))
    }
}

impl Drop for Responses {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
