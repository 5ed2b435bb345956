use super::Call;
use super::hearers::Hearers;

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
pub struct Cancellation(Option<Hearers>);

impl Cancellation {
    /// Whether all clients of the call have gone, their time is over, or the server ends.
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(Hearers::are_gone)
    }
}

impl Call<'_> {
    /// Whether anybody waits for what it comes to.
    pub fn cancellation(&self) -> Cancellation {
        let destination = self.destination.as_ref();
        Cancellation(destination.map(|to| to.hearers.clone()))
    }
}
