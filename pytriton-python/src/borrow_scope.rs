use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender, channel};

use pyo3::prelude::*;
use pytriton_runtime::model::{CallMode, ModelSpec};

/// The arrays that one call lends to a function, for the duration of the call.
pub(crate) struct Loan {
    given: Option<Lender>,
    back: Receiver<Infallible>,
}

/// Held by each borrowed array until it is no longer read.
#[derive(Clone)]
pub(crate) struct Lender(
    #[expect(dead_code, reason = "that it is dropped is all it says")] Sender<Infallible>,
);

impl Loan {
    /// Creates the loan of a call. It lends nothing if the model may read inputs after the call.
    pub(crate) fn new(spec: &ModelSpec) -> Self {
        let (given, back) = channel();
        Self {
            given: ends_with_its_call(spec).then_some(Lender(given)),
            back,
        }
    }

    /// Returns the lender if arrays need not be copied.
    pub(crate) fn lender(&self) -> Option<&Lender> {
        self.given.as_ref()
    }

    /// Waits until no borrowed array is read any more: the function has returned, or was not
    /// called.
    ///
    /// A caller that receives an exception may write to its arrays.
    pub(crate) fn ended(self, py: Python<'_>) {
        let Self { given, back } = self;
        drop(given);
        // The channel carries no messages; it closes when the last array is dropped.
        py.detach(move || back.recv().ok());
    }
}

/// Returns whether inputs cannot be read after the call has a response, or was cancelled and its
/// function has returned.
fn ends_with_its_call(spec: &ModelSpec) -> bool {
    // A streaming function continues between its responses.
    let answers_once = !spec.decoupled;
    // A call that exceeds its time limit is not waited for.
    let returns = spec.max_call.is_none();
    // A function with raw requests may keep them or return them in a response.
    let keeps_nothing = spec.call != CallMode::Raw && !spec.response_cache;
    answers_once && returns && keeps_nothing
}
