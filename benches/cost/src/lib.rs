//! Measures the cost of a request for a server or a client with valgrind: user-space instructions
//! and calls of the allocator.

mod asking;
mod client;
mod clock;
mod cost;
mod counts;
mod error;
mod served;
mod valgrind;

pub use cost::Cost;
pub use error::{CostError, Result};
