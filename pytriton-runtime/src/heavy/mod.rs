//! Work that takes long, away from the threads that serve connections: whatever these do holds up everybody. Its own threads are
//! nicer than those, which have their turn before them.

mod relief;
mod report;
#[cfg(test)]
mod tests;
mod threads;
mod work;

pub(crate) use relief::is_relieved;
pub(crate) use report::report;
pub(crate) use work::{apart, by_weight, is_light, near};
