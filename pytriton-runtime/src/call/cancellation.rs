use std::sync::Arc;

use super::{Answering, Call};

/// Whether anybody still waits for what a call comes to: a function that takes `&Cancellation` asks it between two parts of
/// long work.
///
/// It may be cloned, and asked on other threads and tasks, also after the call.
///
/// # Examples
///
/// ```
/// use ndarray::{Array1, ArrayView1};
/// use pytriton_runtime::call::Cancellation;
///
/// fn sum(x: ArrayView1<f64>, cancellation: &Cancellation) -> Result<Array1<f64>, String> {
///     let mut sum = 0.0;
///     for part in x.exact_chunks(1) {
///         if cancellation.is_cancelled() {
///             return Err("nobody waits for the sum".to_owned());
///         }
///         sum += part.sum();
///     }
///     Ok(Array1::from_elem(1, sum))
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Cancellation {
    /// `None` where nobody can go.
    answering: Option<Arc<dyn Answering>>,
    /// The places of the call's requests in the batch.
    places: Arc<[usize]>,
}

impl Cancellation {
    /// Whether all clients of the call have gone, their time is over, or the server ends.
    pub fn is_cancelled(&self) -> bool {
        let Some(answering) = &self.answering else {
            return false;
        };
        let mut places = self.places.iter();
        places.all(|&place| answering.is_cancelled(place))
    }
}

impl Call<'_> {
    /// Whether anybody waits for what it comes to.
    pub fn cancellation(&self) -> Cancellation {
        let destination = self.destination.as_ref();
        Cancellation {
            answering: destination.map(|to| Arc::clone(to.answering)),
            places: destination.map_or_else(Arc::default, |to| to.places.as_slice().into()),
        }
    }
}
