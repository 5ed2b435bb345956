//! Invocation of the user's function. Pure: no I/O, no tasks.
//!
//! A batch of requests passes through the model's steps ([`decorators`](crate::decorators)) into
//! the function as a [`Call`]. [`Invocation`] checks the return value, splits it by request and
//! returns the results.

#[cfg(test)]
mod arguments_tests;
mod blocking;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod call;
mod cancellation;
mod client_panic;
mod context;
#[cfg(test)]
mod cost_tests;
mod decoded;
#[cfg(test)]
mod element_drop_tests;
#[cfg(test)]
mod elements_tests;
mod error;
mod error_conversion;
mod execute;
mod first_value;
mod function;
mod function_error;
mod generation_states;
mod grouped_batch;
mod health;
mod instance;
mod into_outputs;
#[cfg(test)]
mod isolation_tests;
mod limit;
mod loaded;
mod loaded_instance;
mod memory;
mod open_senders;
mod output_field;
mod output_writer;
mod outputs;
mod parameter;
#[cfg(test)]
mod parity_tests;
mod pipeline;
mod ragged;
#[cfg(test)]
mod ragged_tests;
#[cfg(test)]
mod reading_tests;
mod response_parts;
mod response_sink;
mod response_sinks;
mod responses;
mod returned;
mod row_failure;
mod row_group;
mod sequence_entry;
mod sequence_reader;
mod sequence_state;
mod sequences;
mod shared_error;
mod shim;
#[cfg(test)]
mod split_ragged_tests;
mod start;
mod states;
mod steps;
mod streamed;

pub use blocking::block_on;
pub use call::Call;
pub use cancellation::Cancellation;
pub use client_panic::client_panic_message;
pub use context::Context;
pub use error::ModelError;
pub use error_conversion::{
    ByDisplay, ByIntoError, ByStdError, Converter, ErrorConversion, ErrorsOf, Fallible,
    Unconverted, WithoutErrors,
};
pub use execute::{Executed, Invocation};
pub use first_value::FirstValueParameter;
pub use function::{Calling, Function, Loading, sequenced};
pub(crate) use function_error::model_error;
pub use grouped_batch::GroupedBatch;
pub use health::Health;
pub use instance::executed;
pub use instance::{CallResult, Execution, Instance, Load, Loader};
pub use into_outputs::IntoOutputs;
pub use limit::Limit;
pub use loaded::{IntoState, LoadParameter, load_declared, loaded, loading};
pub use loaded_instance::{
    InlineState, LoadedInstance, LocalState, SendState, StateKind, inline_state,
};
pub use output_field::{OutputField, output_field};
pub use output_writer::OutputWriter;
pub use outputs::{EachOutputs, FunctionError, Output, Outputs, declaration};
pub use parameter::{ByReference, ByValue, Parameter};
pub use response_parts::{ResponseParts, WithParameters};
pub use response_sink::{Cancelled, ResponseSink};
pub use responses::Responses;
pub use returned::Returned;
pub use row_failure::RowFailure;
pub use row_group::RowGroup;
pub use sequence_reader::SequenceReader;
pub use sequence_state::{SequenceParameter, StateGuard, StateGuards};
pub use sequences::ObsoleteStates;
pub use sequences::{Loss, Sequenced, Sequences, Starts};
pub use shim::nothing;
pub use shim::{
    Convert, ConvertNothing, FirstValueReader, Nothing, Read, ReadNothing, Reader, ReturnCheck,
    ReturnValue, Returns, ReturnsNothing,
};
pub use start::{
    IntoSequenceState, Start, StartParameter, Started, StateByDefault, made, made_by_default,
    starting,
};
pub use streamed::{closed, ended, flow, iterate, stream_of};
