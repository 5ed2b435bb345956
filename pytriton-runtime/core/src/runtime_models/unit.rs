use crate::call::{Call, ModelError, SequenceParameter, StateGuard, StateGuards};
use crate::model::CallMode;

use super::sealed::Sealed;

/// One call for a whole batch, whose rows are stacked along axis 0, like `#[batch]`.
#[derive(Debug, Clone, Copy)]
pub struct PerBatch;

/// One call for each request.
#[derive(Debug, Clone, Copy)]
pub struct PerRequest;

/// One call for the unstacked requests of a batch, with responses for each of them.
#[derive(Debug, Clone, Copy)]
pub struct Raw;

/// The requests that one call processes: [`PerBatch`], [`PerRequest`] or [`Raw`]. It is sealed.
pub trait CallUnit: Sealed + Copy + 'static {
    /// Whether the responses are for the whole call, or for each request.
    #[doc(hidden)]
    type Responses;
    /// The borrowed states of the sequences of a call.
    #[doc(hidden)]
    type SequenceGuards<'c, Q: 'static>;
    /// The states of the sequences, as the function receives them.
    #[doc(hidden)]
    type SequenceStates<'a, Q: 'static>;
    /// The kind of call.
    #[doc(hidden)]
    const MODE: CallMode;

    /// Borrows the states of the sequences.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`] if the call has no states.
    #[doc(hidden)]
    fn sequences<'c, Q: 'static>(
        call: &'c Call<'_>,
    ) -> Result<Self::SequenceGuards<'c, Q>, ModelError>;

    /// Returns the argument of the function.
    #[doc(hidden)]
    fn states<'a, Q: 'static>(
        guards: &'a mut Self::SequenceGuards<'_, Q>,
    ) -> Self::SequenceStates<'a, Q>;
}

/// The requests of a call whose inputs are arrays: [`PerBatch`] or [`PerRequest`]. It is sealed.
#[diagnostic::on_unimplemented(
    message = "a raw function has no stacked inputs",
    label = "not available in a raw function",
    note = "read the inputs of each request in `call.requests()`, such as `request.array(\"x\")`"
)]
pub trait StackedUnit: CallUnit {}

impl Sealed for PerBatch {}
impl Sealed for PerRequest {}
impl Sealed for Raw {}

impl StackedUnit for PerBatch {}
impl StackedUnit for PerRequest {}

/// The responses are for the whole call.
#[derive(Debug)]
pub struct Whole;

/// The responses are for each request.
#[derive(Debug)]
pub struct Each;

impl CallUnit for PerRequest {
    type Responses = Whole;
    type SequenceGuards<'c, Q: 'static> = StateGuard<'c, Q>;
    type SequenceStates<'a, Q: 'static> = &'a mut Q;
    const MODE: CallMode = CallMode::Request;

    fn sequences<'c, Q: 'static>(call: &'c Call<'_>) -> Result<StateGuard<'c, Q>, ModelError> {
        <&mut Q>::read(call)
    }

    fn states<'a, Q: 'static>(guards: &'a mut StateGuard<'_, Q>) -> &'a mut Q {
        guards.argument()
    }
}

macro_rules! many_requests {
    ($unit:ident $mode:ident $responses:ident) => {
        impl CallUnit for $unit {
            type Responses = $responses;
            type SequenceGuards<'c, Q: 'static> = StateGuards<'c, Q>;
            type SequenceStates<'a, Q: 'static> = Vec<&'a mut Q>;
            const MODE: CallMode = CallMode::$mode;

            fn sequences<'c, Q: 'static>(
                call: &'c Call<'_>,
            ) -> Result<StateGuards<'c, Q>, ModelError> {
                <&mut [&mut Q]>::read(call)
            }

            fn states<'a, Q: 'static>(guards: &'a mut StateGuards<'_, Q>) -> Vec<&'a mut Q> {
                guards.reborrow().into_states()
            }
        }
    };
}

many_requests!(PerBatch Batch Whole);
many_requests!(Raw Raw Each);
