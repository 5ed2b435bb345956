//! The OpenAI routes, on top of [`crate::openai`], for models in this process or in a tritonserver.

mod answered;
mod ask;
mod door;
mod gathered;
mod models;
mod pieces;
#[cfg(tritonserver)]
mod replies;
mod streamed;
#[cfg(test)]
mod tests;
mod texts;
#[cfg(tritonserver)]
mod upstream;

#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::http) use ask::choice_request;
pub(crate) use door::{answer, answer_alone, is_route, refusal};
pub(crate) use models::{TextModels, has_texts};
#[cfg(tritonserver)]
pub(crate) use upstream::Upstream;
