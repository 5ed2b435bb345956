//! From the first model to production.
//!
//! 1. [A first model](first_model): from an empty folder to the first response, and a test.
//! 2. [Signatures](signatures): how a function defines the inputs and outputs of its model.
//! 3. [State](state): data that outlives a call, and GPUs.
//! 4. [Errors](errors): statuses, and which requests of a batch fail.
//! 5. [Batching](batching): how requests share a call, and how to find out why a model is slow.
//! 6. [Streaming](streaming): any number of responses per request.
//! 7. [Sequences](sequences): requests that belong together, and their state.
//! 8. [Calls between models](calls): graphs of models as functions.
//! 9. [Request identity](identity): the client of a request, and how the server identifies it.
//! 10. [Run-time models](runtime_models): models that are defined at run time, and your own routes.
//! 11. [ONNX files](onnx): networks as models, without a hand-written signature.
//! 12. [Your own program](program): arguments, state, hooks, routes, metrics and readiness.
//! 13. [OpenAI](openai): models for OpenAI's clients.
//! 14. [Engines](engines): the embedded engine and NVIDIA's server.
//! 15. [Production](production): access, limits, shutdown, logs and monitoring.
//! 16. [Migrating from PyTriton](from_pytriton).
//! 17. [Migrating from FastAPI](from_fastapi).
//!
//! All Rust code is compiled, or is a file of the examples. Tests run every command after `$`.

#[doc = include_str!("first_model.md")]
pub mod first_model {}

#[doc = include_str!("signatures.md")]
pub mod signatures {}

#[doc = include_str!("state.md")]
pub mod state {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("batching.md")]
#[doc = ""]
#[doc = include_str!("batching.svg")]
pub mod batching {}

#[doc = include_str!("streaming.md")]
pub mod streaming {}

#[doc = include_str!("sequences.md")]
pub mod sequences {}

#[doc = include_str!("calls.md")]
pub mod calls {}

#[doc = include_str!("identity.md")]
pub mod identity {}

#[doc = include_str!("runtime_models.md")]
pub mod runtime_models {}

#[cfg(feature = "onnx")]
#[doc = include_str!("onnx.md")]
pub mod onnx {}

#[doc = include_str!("program.md")]
pub mod program {}

#[doc = include_str!("openai.md")]
pub mod openai {}

#[doc = include_str!("engines.md")]
#[doc = ""]
#[doc = include_str!("walk.svg")]
pub mod engines {}

#[doc = include_str!("production.md")]
pub mod production {}

#[doc = include_str!("from_pytriton.md")]
pub mod from_pytriton {}

#[doc = include_str!("from_fastapi.md")]
pub mod from_fastapi {}
