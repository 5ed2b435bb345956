//! What a request costs a server or a client, counted by valgrind: instructions in user space and calls of the allocator.

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
