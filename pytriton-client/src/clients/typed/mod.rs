//! Typed clients of a single model.

mod answering;
mod answers;
mod arity;
mod async_typed;
mod signature_check;
#[cfg(test)]
mod tests;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod typed;
mod typed_request;

pub use answering::{Answering, TypedInference};
pub use answers::{TypedAnswerStream, TypedAnswers};
pub use async_typed::AsyncTyped;
pub use typed::Typed;
