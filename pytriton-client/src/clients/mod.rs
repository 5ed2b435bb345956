//! The clients.

mod async_model_client;
mod builder;
mod core;
mod decoupled;
mod description;
mod model_client;
mod pipelined;
mod readiness;
mod responses;
mod retry_policy;
mod typed;
mod worker;

pub use async_model_client::{AsyncModelClient, Inference};
pub use builder::Builder;
pub use decoupled::{AsyncDecoupledModelClient, DecoupledModelClient};
pub use model_client::ModelClient;
pub use pipelined::{Pending, PipelinedModelClient, UnsentRequest};
pub use responses::{ResponseIter, ResponseStream};
pub use typed::{
    AsyncTyped, ResponseMode, Typed, TypedInference, TypedResponseIter, TypedResponseStream,
};
