//! Models that are put together at run time: what `#[pytriton::model]` reads from a function is said here by hand.
//!
//! A [`Model`] says what the model is, with the macro's options as methods. A [`Function`] is what answers its requests: a
//! closure, an `async` closure, one with a state that each instance ([`Stateful`]) or each sequence ([`PerSequence`]) has for itself, or both
//! ([`StatefulPerSequence`]), or one for each instance. Together they become the same [`Registration`](crate::registry::Registration) that a declaration becomes, or
//! [`ModelFlaws`]. What the function returns is an [`Answer`], which is checked against the model.

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
