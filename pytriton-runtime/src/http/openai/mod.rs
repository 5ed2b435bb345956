//! The OpenAI routes, on top of [`crate::openai`], for models in this process or in a tritonserver.

mod accepted;
mod complete;
mod error_response;
mod handler;
mod models;
mod pieces;
#[cfg(tritonserver)]
mod replies;
mod streamed;
#[cfg(test)]
mod tests;
mod text_stream;
#[cfg(tritonserver)]
mod upstream;

#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::http) use accepted::choice_request;
pub(crate) use handler::answer_alone;
pub(super) use handler::{answer, refusal};
pub(crate) use models::TextModels;
#[cfg(tritonserver)]
pub(crate) use upstream::Upstream;
