//! Offloads long computations from the threads that serve connections, which would delay all their
//! connections. The offload threads run at a lower priority.

mod relief;
mod report;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub use relief::is_relieved;
pub use report::report;
pub use work::{by_weight, is_light, near, on_thread};
