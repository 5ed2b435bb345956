//! Models for the unit tests, from the core, and the state of the services.

#[cfg(feature = "embedded")]
mod app_state;

pub(crate) use pytriton_core::testing::*;

#[cfg(feature = "embedded")]
pub(crate) use app_state::{app_state, settles};
