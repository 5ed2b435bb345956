//! What a request costs a server, counted by valgrind: instructions in user space and calls of the allocator.

mod client;
mod clock;
mod cost;
mod counts;
mod error;
mod served;

pub use cost::Cost;
pub use error::{CostError, Result};
