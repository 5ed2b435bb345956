//! Tensors in shared memory, for a server on the same machine.
//!
//! Nothing is mapped, so this module contains no `unsafe`. Elements are written with `pwrite` and
//! read with `pread`, and other processes cannot crash this one by changing the memory.
//!
//! A region belongs to one request at a time. If a server may still be using a region after its
//! request, the region is not reused until the server has unregistered it. A server refuses to
//! unregister a region in use.
//!
//! A region has a file name as long as it exists, because servers that are used later, or were
//! restarted, open it by name. Unlinking it earlier would not help: a server keeps the memory when
//! the client is killed. Instead, a client locks its files. The next client removes unlocked files
//! and unregisters them at its servers.

mod location;
mod pool;
mod region;
mod region_guard;
mod region_server;
mod registered;
mod reservation;
mod stale_regions;

pub(crate) use location::Location;
pub(crate) use pool::Pool;
pub(crate) use region::Region;
pub(crate) use region_guard::RegionGuard;
pub(crate) use region_server::RegionServer;
pub use registered::SharedMemoryRegion;
pub(crate) use stale_regions::stale_regions;
