//! The OpenAI routes, on top of [`pytriton_kserve::openai`], for models in this process or in a
//! tritonserver.

mod accepted;
mod complete;
mod error_response;
mod handler;
mod models;
mod pieces;
mod streamed;
#[cfg(test)]
mod tests;
mod text_stream;
mod upstream;
mod upstream_responses;
mod vectors;

#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::http) use accepted::choice_request;
pub(super) use handler::{handle, refusal};
pub use models::TextModels;
pub use upstream::Upstream;
