use crate::tensor::DataType;

use super::{Example, TensorDeclaration};

/// What the type of a function's parameter declares.
#[derive(Debug, Clone, Copy)]
pub enum Declared {
    /// An input, as an array.
    Input(InputType),
    /// An input, as one value.
    Value(InputType),
    /// The parameters of the request.
    Parameters,
    /// The context of the instance.
    Context,
    /// The requests as they are.
    Requests,
    /// Whether anybody waits for the answers.
    Cancellation,
    /// The sequence of the request.
    Sequence {
        /// Whether there is one for each request of the call.
        each: bool,
    },
    /// The state of the request's sequence.
    State {
        /// Whether there is one for each request of the call.
        each: bool,
    },
    /// Where the answers go.
    Responses {
        /// What one answer has.
        outputs: &'static [TensorDeclaration],
        /// Whether each request has its own.
        each: bool,
    },
}

/// What a type says of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputType {
    /// The element type.
    pub datatype: DataType,
    /// The number of dimensions of the array; `None` for any.
    pub rank: Option<usize>,
    /// Whether a request may leave the input out.
    pub optional: bool,
    /// The elements of a row, where not every element of the type is one.
    pub example: Example,
}
