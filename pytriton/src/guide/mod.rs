//! From the first model to production, chapter by chapter.
//!
//! 1. [A first model](first_model): from an empty folder to the first answer, and a test of it.
//! 2. [Signatures](signatures): how a function says what its model takes and returns.
//! 3. [Batching](batching): how requests share a call, and what to turn when they are too slow.
//! 4. [Engines](engines): the one in the process or NVIDIA's server, and how a request walks through either.
//! 5. [Production](production): who may ask, what is bounded, what a cluster asks, what to watch.
//! 6. [Coming from PyTriton](from_pytriton).
//! 7. [Coming from FastAPI](from_fastapi).
//!
//! Every piece of Rust in them is compiled, or is a file of the examples, and every command behind `$` is run.

#[doc = include_str!("first_model.md")]
pub mod first_model {}

#[doc = include_str!("signatures.md")]
pub mod signatures {}

#[doc = include_str!("batching.md")]
#[doc = ""]
#[doc = include_str!("batching.svg")]
pub mod batching {}

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
