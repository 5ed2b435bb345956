//! Tensors that a server on the same machine finds in memory that the client shares with it.
//!
//! Nothing is mapped, and nothing here is `unsafe`: elements are written with `pwrite` and read with `pread`, so that no other process can
//! end this one by what it does to the memory. A region belongs to one request at a time. That of a request of which nobody knows whether
//! the server still works on it is not used again before the server says that it does not: it refuses to forget a region in use.

mod lent;
mod place;
mod pool;
mod region;
mod registered;
mod reserved;

pub(crate) use lent::Lent;
pub(crate) use place::Place;
pub(crate) use pool::Pool;
pub(crate) use region::Region;
pub use registered::SharedMemoryRegion;
