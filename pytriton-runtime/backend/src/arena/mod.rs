//! Allocation of message data: offsets, not memory. Pure.

mod free_list;
mod region;

pub use free_list::FreeList;
pub use region::{ALIGNMENT, Region, align, place};
