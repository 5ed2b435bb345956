//! Models that are defined at run time, as an alternative to `#[pytriton::model]`.
//!
//! A [`Model`] describes a model. Its methods correspond to the options of the macro. A
//! [`Function`] processes the requests. It is a closure or an `async` closure that takes a
//! [`FunctionCall`], or one closure for each instance. Its mode is [`PerBatch`], [`PerRequest`] or
//! [`Raw`], which may have a state for each instance, for each sequence or for both
//! ([`Stateful`]).
//!
//! Together they form a [`Registration`](crate::registry::Registration) like a declared model, or
//! [`ModelFlaws`]. The return value of the function is an [`IntoResponses`], whose outputs are
//! checked against the model.

mod check;
mod check_openai;
mod function;
mod function_call;
mod inputs;
mod instance;
mod into_responses;
mod mode;
mod model;
mod named;
mod sealed;
mod settings;
mod stateful;
mod states;
mod tensor;
#[cfg(test)]
mod testing;
mod unit;

pub use crate::call::IntoOutputs;
pub use crate::registry::{Flaw, ModelFlaws};
pub use function::Function;
pub use function_call::FunctionCall;
pub use into_responses::{IntoResponses, Iterated, Once, Sent, Streamed};
pub use mode::FunctionMode;
pub use model::Model;
pub use named::Named;
pub use stateful::Stateful;
pub use states::{NoState, Owned, SequenceKind, StateKind};
pub use tensor::{Input, Output};
pub use unit::{CallUnit, Each, PerBatch, PerRequest, Raw, StackedUnit, Whole};
