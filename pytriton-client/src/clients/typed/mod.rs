//! Typed clients of a single model.

mod arity;
mod async_typed;
mod response_mode;
mod responses;
mod signature_check;
#[cfg(test)]
mod tests;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod typed;
mod typed_request;

pub use async_typed::AsyncTyped;
pub use response_mode::{ResponseMode, TypedInference};
pub use responses::{TypedResponseIter, TypedResponseStream};
pub use typed::Typed;
