//! A simulated Triton for tests: the functions that a backend calls, for requests and instances
//! that the test creates.

mod api;
mod error;
mod executor;
mod instance;
mod request;
mod response;

pub(crate) use executor::keeping;
pub(crate) use instance::{Simulated, alone};
pub(crate) use request::SimulatedRequest;
