//! Tensors that a server on the same machine finds in memory that the client shares with it.
//!
//! Nothing is mapped, and nothing here is `unsafe`: elements are written with `pwrite` and read with `pread`, so that no other process can
//! end this one by what it does to the memory. A region belongs to one request at a time. That of a request of which nobody knows whether
//! the server still works on it is not used again before the server says that it does not: it refuses to forget a region in use.
//!
//! A region has a name as long as it is there. Without one, no server could be told of it that is asked later or was started again, and one
//! that was told keeps the memory anyway when the client is killed. Instead a client locks the files it has, and the next one removes those
//! that nobody has locked, and has its servers forget them.

mod lent;
mod place;
mod pool;
mod region;
mod registered;
mod reserved;
mod strays;

pub(crate) use lent::Lent;
pub(crate) use place::Place;
pub(crate) use pool::Pool;
pub(crate) use region::Region;
pub use registered::SharedMemoryRegion;
pub(crate) use strays::strays;
