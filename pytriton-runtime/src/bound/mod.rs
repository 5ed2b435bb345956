//! Run-time models: what `#[pytriton::model]` derives from a function is defined explicitly.
//!
//! A [`Model`] has the macro's options as methods. A [`Function`] is a closure, an `async` closure,
//! one with state per instance ([`Stateful`]), per sequence ([`PerSequence`]) or both
//! ([`StatefulPerSequence`]), or one for each instance. Together they become the same
//! [`Registration`](crate::registry::Registration) as a declaration, or [`ModelFlaws`]. The
//! function's result is an [`Answer`], which is checked against the model.

mod answer;
mod check;
mod failure;
mod flaw;
mod function;
mod inputs;
mod instance;
mod model;
mod options;
mod per_sequence;
mod settings;
mod stateful;
mod stateful_sequences;
mod tensor;

pub use answer::{Answer, Named};
pub use failure::Failure;
pub use flaw::{Flaw, ModelFlaws};
pub use function::Function;
pub use inputs::Inputs;
pub use model::Model;
pub use per_sequence::PerSequence;
pub use stateful::Stateful;
pub use stateful_sequences::StatefulPerSequence;
pub use tensor::{Input, Output};
