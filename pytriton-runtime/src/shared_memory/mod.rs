//! Memory that clients share with the server: which regions are registered, and what a request has in them.
//!
//! Nothing is mapped. The bytes of an input are copied once, with `pread`, before anything looks at them, and those of an
//! output are written with `pwrite`: whatever a client does to its region meanwhile, shrinking it or writing to it, an answer
//! or an error comes of it, and never a signal.

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
