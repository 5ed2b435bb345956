use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender, channel};

use pyo3::prelude::*;
use pytriton_runtime::model::{CallMode, ModelSpec};

/// What one call lends: arrays whose elements a function may read as long as the call goes on, and no longer.
pub(crate) struct Loan {
    given: Option<Lender>,
    back: Receiver<Infallible>,
}

/// What each array that is lent keeps until nobody reads it.
#[derive(Clone)]
pub(crate) struct Lender(
    #[expect(dead_code, reason = "that it is dropped is all it says")] Sender<Infallible>,
);

impl Loan {
    /// That of a call of a model: nothing where what it is given may be read after the call.
    pub(crate) fn new(spec: &ModelSpec) -> Self {
        let (given, back) = channel();
        Self {
            given: ends_with_its_call(spec).then_some(Lender(given)),
            back,
        }
    }

    /// Who lends, where an array need not be copied.
    pub(crate) fn lender(&self) -> Option<&Lender> {
        self.given.as_ref()
    }

    /// Waits until nobody reads what was lent: the function has returned, or was not called.
    ///
    /// A caller that has an exception may write to its arrays.
    pub(crate) fn ended(self, py: Python<'_>) {
        let Self { given, back } = self;
        drop(given);
        // Nothing ever comes but the end.
        py.detach(move || back.recv().ok());
    }
}

/// Whether nobody can read an input once its call has an answer, or is given up and its function has returned.
fn ends_with_its_call(spec: &ModelSpec) -> bool {
    // Between its answers a function goes on.
    let answers_once = !spec.decoupled;
    // A function that takes too long is not waited for.
    let returns = spec.max_call.is_none();
    // Whoever has a request as it is may keep it, or make it the answer.
    let keeps_nothing = spec.call != CallMode::Raw && !spec.response_cache;
    answers_once && returns && keeps_nothing
}
