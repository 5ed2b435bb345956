//! Models for the unit tests, from the core, and the state of the services.

mod app_state;
mod docs_table;

#[expect(unsafe_code, reason = "an allocator is unsafe to write")]
#[path = "../../../core/src/testing/heap.rs"]
pub(crate) mod heap;

pub(crate) use pytriton_core::testing::*;

pub(crate) use app_state::{app_state, settles};
pub(crate) use docs_table::check_table;
