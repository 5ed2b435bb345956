//! The clients.

mod answers;
mod async_model_client;
mod builder;
mod core;
mod decoupled;
mod description;
mod model_client;
mod pipelined;
mod readiness;
mod retry_policy;
mod typed;
mod worker;

pub use answers::{AnswerStream, Answers};
pub use async_model_client::{AsyncModelClient, Inference};
pub use builder::Builder;
pub use decoupled::{AsyncDecoupledModelClient, DecoupledModelClient};
pub use model_client::ModelClient;
pub use pipelined::{Asked, Pending, PipelinedModelClient};
pub use typed::{Answering, AsyncTyped, Typed, TypedAnswerStream, TypedAnswers, TypedInference};
