//! Triton's core as a library: `libtritonserver.so`, which NVIDIA's server consists of, without its
//! HTTP and gRPC front ends.
//!
//! - [`Library`] opens the library of an installation at run time. Nothing is linked, so a binary
//!   runs on systems without Triton.
//! - [`Core`] is a server with its models. [`CoreOptions`] are its options.
//! - [`Core::infer`] sends a request, whose [`Responses`] arrive asynchronously.
//!
//! On other targets than Linux on x86_64 and aarch64 the crate is empty.

#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_pointer_width = "64"
))]

mod core;
mod error;
#[expect(
    unsafe_code,
    reason = "Triton's library is called through C functions; see the invariants in `ffi`"
)]
mod ffi;
mod library;
mod options;
mod response;
mod responses;

pub use crate::core::Core;
pub use error::{Code, CoreError};
pub use library::{Library, LibraryError};
pub use options::{CoreOptions, LogLevels, ModelControl};
pub use response::{CoreResponse, ResponseEvent};
pub use responses::Responses;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
