//! The core of the `pytriton` runtime: models, requests and the invocation of functions. It depends
//! on no protocol and no engine. Modules in the order of a request's path:
//!
//! - [`model`]: the description of a model; [`registry`]: the declarations of a binary;
//!   [`runtime_models`]: models that are defined at run time.
//! - [`request`]: requests and their validation against a model; [`shared_memory`]: memory that
//!   clients share with the server, which contains some of their tensors.
//! - [`call`]: the invocation of the user's function; [`decorators`]: the steps around it;
//!   [`instance`]: the instances of a model, which run batches; [`warmup`]: requests that an
//!   instance runs before it accepts traffic; [`watchdog`]: deadlines of calls.
//! - [`model_call`]: calls of other models; [`local_models`]: the models that can be called.
//! - [`shared_state`]: values that the functions of all models share.
//! - [`response_channel`]: the responses to a request, and the errors of requests that were not
//!   executed.
//! - [`statistics`]: the statistics of a model; [`trace`]: spans of requests.
//! - [`memory_budget`]: the limit on the bytes of all requests and responses. [`tracked_bytes`],
//!   [`tracked_buffer`] with its [`free_bytes`], [`body_buffer`], [`received_body`] and
//!   [`tracked_tensor`] have their memory reserved there; [`uncounted`]: the reasons for memory that
//!   is not; [`heap`] configures the allocator.
//! - [`offload`]: long computations on threads of a lower priority; [`maybe_ready`]: results that
//!   may be available at once.
//! - [`mod@error`]: the error that functions return; [`status`]: kinds of failures; [`mod@panic`]:
//!   messages of panics; [`text`]: client text in messages and logs; [`mod@file`]: files of limited
//!   size.
//!
//! # Features
//!
//! - `otel`: spans of requests become part of the client's OpenTelemetry trace.
//! - `testing`: models for the unit tests of the other crates; not public API.

pub mod body_buffer;
pub mod call;
pub mod decorators;
pub mod error;
pub mod file;
pub mod free_bytes;
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(
        unsafe_code,
        reason = "the allocator is configured through C functions"
    )
)]
pub mod heap;
pub mod instance;
pub mod local_models;
pub mod maybe_ready;
pub mod memory_budget;
pub mod model;
pub mod model_call;
pub mod offload;
pub mod received_body;
pub mod registry;
pub mod request;
pub mod response_channel;
pub mod runtime_models;
pub mod shared_memory;
pub mod shared_state;
pub mod statistics;
pub mod status;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
#[expect(clippy::unwrap_used, reason = "only tests use the module")]
pub mod testing;
pub mod text;
pub mod trace;
pub mod tracked_buffer;
pub mod tracked_bytes;
pub mod tracked_tensor;
pub mod uncounted;
pub mod warmup;
pub mod watchdog;

pub use pytriton_protocol::{panic, tensor};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
