use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender, channel};

use pyo3::prelude::*;
use pytriton_runtime::model::{CallMode, ModelSpec};

/// The arrays that a function borrows for the duration of one call.
pub(crate) struct BorrowScope {
    token: Option<BorrowToken>,
    released: Receiver<Infallible>,
}

/// Held by each borrowed array until it is no longer read.
#[derive(Clone)]
pub(crate) struct BorrowToken(
    #[expect(dead_code, reason = "that it is dropped is all it says")] Sender<Infallible>,
);

impl BorrowScope {
    /// Creates the scope of a call. No array is borrowed if the model may read inputs after the
    /// call.
    pub(crate) fn new(spec: &ModelSpec) -> Self {
        let (token, released) = channel();
        Self {
            token: ends_with_its_call(spec).then_some(BorrowToken(token)),
            released,
        }
    }

    /// Returns a token for borrowed arrays, or `None` if arrays must be copied.
    pub(crate) fn token(&self) -> Option<&BorrowToken> {
        self.token.as_ref()
    }

    /// Waits until no borrowed array is read any more: the function has returned, or was not
    /// called.
    ///
    /// A caller that receives an exception may write to its arrays.
    pub(crate) fn ended(self, py: Python<'_>) {
        let Self { token, released } = self;
        drop(token);
        // The channel carries no messages; it closes when the last array is dropped.
        py.detach(move || released.recv().ok());
    }
}

/// Returns whether inputs cannot be read after the call has a response, or was cancelled and its
/// function has returned.
fn ends_with_its_call(spec: &ModelSpec) -> bool {
    // A streaming function continues between its responses.
    let is_unary = !spec.decoupled;
    // A call that exceeds its time limit is not waited for.
    let returns = spec.call_options.call_limit().is_none();
    // A function with raw requests may keep them or return them in a response.
    let is_not_retained = spec.call != CallMode::Raw && !spec.call_options.response_cache;
    is_unary && returns && is_not_retained
}
