//! Invocation of the user's function. Pure: no I/O, no tasks.
//!
//! A batch of requests passes through the model's steps ([`decorators`](crate::decorators)) into
//! the function as a [`Call`]. [`Callee`] checks the return value, splits it by request and returns
//! the results.

mod answering;
mod around;
mod arranged;
mod blocking;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod call;
mod cancellation;
mod context;
mod error;
mod execute;
mod first_value;
mod function;
mod health;
mod hearers;
mod instance;
#[cfg(test)]
mod isolation_tests;
mod limit;
mod living;
mod loaded;
mod loaded_instance;
mod open;
mod output_field;
mod outputs;
mod parameter;
#[cfg(test)]
mod parity_tests;
mod part;
mod pipeline;
mod reserve;
mod responses;
mod returned;
mod said;
mod scalar;
mod sequence_reader;
mod sequence_state;
mod sequences;
mod shared_error;
mod shim;
mod start;
mod states;
mod streamed;
mod unrecoverable;
mod watched;

pub use answering::{Answering, Cancelled};
pub(crate) use arranged::Arranged;
pub use call::Call;
pub use cancellation::Cancellation;
pub use context::Context;
pub use error::ModelError;
pub(crate) use execute::caught;
pub use execute::{Callee, Executed};
pub use first_value::FirstValueParameter;
pub use function::{Calling, Function, Loading, sequenced};
pub(crate) use health::Health;
pub(crate) use instance::executed;
pub use instance::{Answered, Execution, Instance, Load, Loader};
pub(crate) use limit::Limit;
pub use loaded::{IntoState, LoadParameter, loaded, loading};
pub use loaded_instance::{
    InlineState, LoadedInstance, LocalState, SendState, StateKind, inline_state,
};
pub use output_field::{OutputField, output_field};
pub(crate) use outputs::function_error;
pub use outputs::{EachOutputs, FunctionError, Output, Outputs, declaration, output};
pub use parameter::{Given, Parameter};
pub use part::Part;
#[cfg(feature = "embedded")]
pub(crate) use reserve::tracked;
pub(crate) use reserve::{StackError, stack_reserved};
pub use responses::Responses;
pub use returned::Returned;
pub use said::{Said, WithParameters};
pub use scalar::Scalar;
pub use sequence_reader::SequenceReader;
pub use sequence_state::SequenceParameter;
pub(crate) use sequences::Spent;
pub use sequences::{Loss, Sequenced, Sequences, Starts};
pub(crate) use shim::nothing;
pub use shim::{
    Answer, Asked, Convert, ConvertNothing, FirstValueReader, Nothing, Read, ReadNothing, Reader,
    Returns, ReturnsNothing,
};
pub use start::{
    IntoSequenceState, Start, StartParameter, Started, StateByDefault, made, made_by_default,
    starting,
};
pub use streamed::{closed, ended, flow, iterate, stream_of};
pub use unrecoverable::Unrecoverable;
pub(crate) use watched::Watched;
