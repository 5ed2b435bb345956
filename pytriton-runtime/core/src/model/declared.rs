use pytriton_protocol::signature::ModelSignature;

use crate::shared_state::StateType;
use crate::tensor::{DataType, Element, ElementCheck};

use super::{Argument, Example, TensorDeclaration};

/// The declaration of a function's parameter, derived from its type.
#[derive(Debug, Clone, Copy)]
pub enum Declared {
    /// An array input.
    Input(InputType),
    /// A single-value input.
    Value(InputType),
    /// The request's parameters.
    Parameters,
    /// The client of the request.
    Identity,
    /// The instance's context.
    Context,
    /// The raw requests.
    Requests,
    /// The cancellation state of the call.
    Cancellation,
    /// A model that the function calls.
    Call {
        /// Returns the signature that the function was compiled for.
        signature: fn() -> ModelSignature,
    },
    /// A state that functions share.
    Shared {
        /// Returns the type of the state.
        ty: fn() -> StateType,
    },
    /// The request's sequence.
    Sequence {
        /// Whether there is one for each request of the call.
        each: bool,
    },
    /// The state of the request's sequence.
    State {
        /// Whether there is one for each request of the call.
        each: bool,
    },
    /// A sender of responses.
    Responses {
        /// The outputs of one response.
        outputs: &'static [TensorDeclaration],
        /// Whether each request has its own.
        each: bool,
    },
    /// The inputs of a struct. In a signature, they replace the parameter.
    Fields(&'static [Argument]),
}

/// The properties of an input that its type determines.
#[derive(Debug, Clone, Copy)]
pub struct InputType {
    /// The datatype.
    pub datatype: DataType,
    /// Whether its elements must be valid UTF-8.
    pub utf8: bool,
    /// Checks its elements, if only decoding shows whether they are valid.
    pub check: Option<ElementCheck>,
    /// The rank of the array; `None` for any.
    pub rank: Option<usize>,
    /// Whether a request may omit the input.
    pub optional: bool,
    /// Whether the rows of a batch may have different lengths.
    pub ragged: bool,
    /// Sample values for one row, if not every value of the type is valid.
    pub example: Example,
}

impl InputType {
    /// An input with elements of type `T`.
    pub const fn of<T: Element>(rank: Option<usize>, optional: bool) -> Self {
        Self {
            datatype: T::DATATYPE,
            utf8: T::UTF8,
            check: T::CHECK,
            rank,
            optional,
            ragged: false,
            example: &[],
        }
    }

    /// An input whose rows have one dimension and different lengths.
    pub const fn of_ragged<T: Element>(optional: bool) -> Self {
        Self {
            ragged: true,
            ..Self::of::<T>(Some(2), optional)
        }
    }
}
