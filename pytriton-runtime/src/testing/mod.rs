//! Models for the unit tests, from the core, and the state of the services.

#[cfg(feature = "embedded")]
mod app_state;

#[cfg(feature = "embedded")]
#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
#[path = "../../core/src/testing/heap.rs"]
pub(crate) mod heap;

pub(crate) use pytriton_core::testing::*;

#[cfg(feature = "embedded")]
pub(crate) use app_state::{app_state, settles};
