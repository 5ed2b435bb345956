use super::ModelError;

/// Limits the duration of user code that runs outside a call.
pub trait Limit {
    /// Runs a closure for the last of `requests` requests, which are the first ones of the batch
    /// without results.
    ///
    /// # Errors
    ///
    /// Returns an error, and does not run the closure, if a call exceeded its limit and the batch
    /// has already received responses.
    fn run(&self, requests: usize, something: &mut dyn FnMut()) -> Result<(), ModelError>;
}
