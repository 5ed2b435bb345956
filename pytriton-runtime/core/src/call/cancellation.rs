use std::task::{Context, Poll};

use super::Call;
use super::response_sinks::ResponseSinks;

/// Reports whether the result of a call is still needed. A function takes `&Cancellation` and
/// checks it between steps of long work.
///
/// It can be cloned and used on other threads and tasks, also after the call.
///
/// # Examples
///
/// ```
/// use ndarray::{Array1, ArrayView1};
/// use pytriton_core::call::Cancellation;
///
/// fn sum(x: ArrayView1<f64>, cancellation: &Cancellation) -> Result<Array1<f64>, String> {
///     let mut sum = 0.0;
///     for part in x.exact_chunks(1) {
///         if cancellation.is_cancelled() {
///             return Err("the client has disconnected".to_owned());
///         }
///         sum += part.sum();
///     }
///     Ok(Array1::from_elem(1, sum))
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Option<ResponseSinks>);

impl Cancellation {
    /// Returns whether the result is no longer needed: every request of the call timed out, its
    /// client disconnected, or the server is shutting down.
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(ResponseSinks::are_cancelled)
    }

    /// Waits until the result is no longer needed.
    pub(crate) fn poll_cancelled(&self, context: &mut Context<'_>) -> Poll<()> {
        let sinks = self.0.as_ref();
        sinks.map_or(Poll::Pending, |sinks| sinks.poll_cancelled(context))
    }
}

impl Call<'_> {
    /// Returns the cancellation of the call.
    pub fn cancellation(&self) -> Cancellation {
        let destination = self.destination.as_ref();
        Cancellation(destination.map(|to| to.sinks.clone()))
    }
}
