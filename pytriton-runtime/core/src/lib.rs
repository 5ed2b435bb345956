//! The parts of the `pytriton` runtime that know neither protocols nor engines.
//!
//! - [`memory_budget`]: the limit on the bytes of all requests and responses. [`tracked_bytes`],
//!   [`tracked_buffer`] and [`body_buffer`] are bytes whose memory is reserved there; [`heap`]
//!   configures the allocator.
//! - [`offload`]: long computations on threads of a lower priority; [`maybe_ready`]: results that
//!   may be available at once.
//! - [`status`]: kinds of failures; [`panic`]: what a panic says; [`text`]: text of clients in
//!   messages and logs; [`file`]: files of limited size.

pub mod body_buffer;
pub mod file;
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(
        unsafe_code,
        reason = "the allocator is configured through C functions"
    )
)]
pub mod heap;
pub mod maybe_ready;
pub mod memory_budget;
pub mod offload;
pub mod panic;
pub mod status;
pub mod text;
pub mod tracked_buffer;
pub mod tracked_bytes;

pub use pytriton_protocol::tensor;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
