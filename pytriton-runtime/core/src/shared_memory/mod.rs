//! Shared memory of clients and the server: registered regions, and the sections that requests use.
//!
//! Nothing is mapped. The bytes of an input are copied with `pread` before they are inspected, and
//! those of an output are written with `pwrite`. If a client shrinks or changes its region
//! meanwhile, the result is a response or an error, but never a signal.

mod error;
mod key;
mod region;
mod regions;
mod section;
mod shared;
#[cfg(test)]
mod tests;

pub use error::SharedMemoryError;
pub use region::Region;
pub use regions::{Kind, Regions};
pub use section::Section;
pub use shared::{Shared, SharedOutput};
