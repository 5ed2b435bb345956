//! The codecs of `pytriton`: KServe v2 with Triton's extensions, in JSON and protobuf, and OpenAI's
//! API. They decode bodies to the requests of [`pytriton_core`], and encode its responses. Pure: no
//! I/O, no tasks.
//!
//! - [`rest`]: JSON of inference, metadata, statistics, the repository, settings and shared memory;
//!   its functions are re-exported here.
//! - [`generate`]: the generate extension, which is flat JSON.
//! - [`openai`]: OpenAI's routes, translated to requests of the generate extension and back.
//! - `proto`: the messages of gRPC.
//! - [`configuration`]: model configurations in Triton's format.
//! - [`openapi`]: the OpenAPI description of the routes.
//! - [`settings`]: the settings of the log and of traces; [`Group`]: the groups of routes;
//!   [`InfoRoute`]: the routes that describe the server and its models.
//! - [`json`]: the writer and the parsers of all of them.
//!
//! # Features
//!
//! - `proto`: the codec of gRPC's messages.
//! - `testing`: models for the unit tests of the other crates; not public API.

pub mod configuration;
mod error;
pub mod generate;
mod group;
mod info_route;
pub mod json;
pub mod openai;
pub mod openapi;
#[cfg(feature = "proto")]
pub mod proto;
mod request_parameters;
pub mod rest;
pub mod settings;

pub use error::{CodecError, DocumentError, GenerateError, Owner, ProtoError};
pub use group::Group;
pub use info_route::InfoRoute;
pub use rest::*;
pub use settings::*;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
