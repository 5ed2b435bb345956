//! A simulated Triton for tests: the functions that a backend calls, for requests and instances
//! that the test creates.

mod api;
mod error;
mod executor;
mod instance;
mod request;
mod response;

pub(super) use api::release;
pub(crate) use executor::forwarding_instance;
pub(crate) use instance::{Simulated, exclusive};
pub(crate) use request::SimulatedRequest;
