//! Models that are defined at run time, as an alternative to `#[pytriton::model]`.
//!
//! A [`Model`] describes a model. Its methods correspond to the options of the macro. A
//! [`Function`] processes the requests. It may be a closure or an `async` closure, or one closure
//! for each instance. It may have a state for each instance ([`Stateful`]), for each sequence
//! ([`PerSequence`]) or for both ([`StatefulPerSequence`]).
//!
//! Together they form a [`Registration`](crate::registry::Registration) like a declared model, or
//! [`ModelFlaws`]. The return value of the function is an [`IntoOutputs`], which is checked against
//! the model.

mod check;
mod function;
mod inputs;
mod instance;
mod into_outputs;
mod model;
mod per_sequence;
mod settings;
mod stateful;
mod stateful_sequences;
mod tensor;

pub use crate::registry::{Flaw, ModelFlaws};
pub use function::Function;
pub use inputs::Inputs;
pub use into_outputs::{IntoOutputs, Named};
pub use model::Model;
pub use per_sequence::PerSequence;
pub use stateful::Stateful;
pub use stateful_sequences::StatefulPerSequence;
pub use tensor::{Input, Output};
