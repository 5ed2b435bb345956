//! From the first model to production.
//!
//! 1. [A first model](first_model): from an empty folder to the first response, and a test.
//! 2. [Signatures](signatures): how a function defines the inputs and outputs of its model.
//! 3. [Batching](batching): how requests share a call, and how to tune it.
//! 4. [Streaming](streaming): any number of responses per request.
//! 5. [Sequences](sequences): requests that belong together, and their state.
//! 6. [Run-time models](runtime_models): models that are defined at run time.
//! 7. [OpenAI](openai): models for OpenAI's clients.
//! 8. [Engines](engines): the embedded engine and NVIDIA's server.
//! 9. [Production](production): access, limits, shutdown and monitoring.
//! 10. [Migrating from PyTriton](from_pytriton).
//! 11. [Migrating from FastAPI](from_fastapi).
//!
//! All Rust code is compiled, or is a file of the examples. Tests run every command after `$`.

#[doc = include_str!("first_model.md")]
pub mod first_model {}

#[doc = include_str!("signatures.md")]
pub mod signatures {}

#[doc = include_str!("batching.md")]
#[doc = ""]
#[doc = include_str!("batching.svg")]
pub mod batching {}

#[doc = include_str!("streaming.md")]
pub mod streaming {}

#[doc = include_str!("sequences.md")]
pub mod sequences {}

#[doc = include_str!("runtime_models.md")]
pub mod runtime_models {}

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
