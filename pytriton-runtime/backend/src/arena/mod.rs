//! Where what messages speak of lies: offsets, no memory. Pure.

mod free_list;
mod region;

pub use free_list::FreeList;
pub use region::{ALIGNMENT, Region, align, place};
