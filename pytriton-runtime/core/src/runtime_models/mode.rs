use crate::call::Context;
use crate::error::Error;
use crate::request::Sequence;

use super::Stateful;
use super::sealed::Sealed;
use super::states::{NoState, Owned, SequenceKind, StateKind};
use super::unit::{CallUnit, PerBatch, PerRequest, Raw};

/// The first argument of [`Function::new`](super::Function::new): [`PerBatch`], [`PerRequest`] or
/// [`Raw`], with or without states. It is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the mode of a function",
    label = "not a mode",
    note = "write `PerBatch`, `PerRequest` or `Raw`, such as `Function::new(PerBatch, |call| …)`"
)]
pub trait FunctionMode: Sealed {
    /// The requests of one call.
    type Unit: CallUnit;
    /// The state of each instance.
    type State: StateKind;
    /// The state of each sequence.
    type Sequence: SequenceKind;

    /// Returns the mode with its states.
    #[doc(hidden)]
    fn into_stateful(self) -> Stateful<Self::Unit, Self::State, Self::Sequence>;
}

impl<U: CallUnit, S: StateKind, Q: SequenceKind> Sealed for Stateful<U, S, Q> {}

impl<U: CallUnit, S: StateKind, Q: SequenceKind> FunctionMode for Stateful<U, S, Q> {
    type Unit = U;
    type State = S;
    type Sequence = Q;

    fn into_stateful(self) -> Self {
        self
    }
}

macro_rules! modes {
    ($($unit:ident)+) => {$(
        impl FunctionMode for $unit {
            type Unit = Self;
            type State = NoState;
            type Sequence = NoState;

            fn into_stateful(self) -> Stateful<Self, NoState, NoState> {
                Stateful::none()
            }
        }

        impl $unit {
            /// Adds a state for each instance. `load` creates it on the thread of the instance, so
            /// it need not be `Send`.
            pub fn stateful<F, S>(self, load: F) -> Stateful<Self, Owned<S>, NoState>
            where
                F: Fn(&Context) -> Result<S, Error> + Send + Sync + 'static,
                S: 'static,
            {
                Stateful::new(load)
            }

            /// Adds a state for each sequence. `start` creates it when the sequence starts.
            ///
            /// The state stays on the thread of its sequence's instance and need not be `Send`. It
            /// is dropped when its sequence ends, restarts or is idle for too long, or when the
            /// function panics.
            pub fn per_sequence<F, Q>(self, start: F) -> Stateful<Self, NoState, Owned<Q>>
            where
                F: Fn(&Sequence, &Context) -> Result<Q, Error> + Send + Sync + 'static,
                Q: 'static,
            {
                let start = move |(): &(), sequence: &Sequence, context: &Context| {
                    start(sequence, context)
                };
                Stateful::none().started(start)
            }
        }
    )+};
}

modes!(PerBatch PerRequest Raw);
