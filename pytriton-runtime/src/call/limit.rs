use super::ModelError;

/// Sees to it that what is the user's takes no longer than a call may, also where it is no call.
pub(crate) trait Limit {
    /// Runs something for the last of so many requests, which are the first of the batch that have no results.
    ///
    /// # Errors
    ///
    /// That a call has taken too long, for which the batch is answered already: it is not run.
    fn run(&self, requests: usize, something: &mut dyn FnMut()) -> Result<(), ModelError>;
}
