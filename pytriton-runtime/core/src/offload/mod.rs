//! Offloads long computations from the threads that serve connections, which would delay all their
//! connections. The offload threads run at a lower priority.

mod blockable;
mod queue;
mod report;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub(crate) use blockable::is_marked;
pub use blockable::mark_blockable;
pub use report::report;
pub use work::{by_weight, in_place_or_on_thread, is_light, on_thread};
