//! Shared memory, its wake-ups, and the passing of its file descriptors. Together with `ffi`, the
//! only module with `unsafe` code.
//!
//! Nothing here is public. Its safe functions are safe only within this crate, whose other modules
//! uphold the invariants.
//!
//! The SAFETY comments below rely on these invariants:
//!
//! 1. A segment is a `memfd` that is sealed against shrinking, growing and further seals before it
//!    is shared. So a mapping never reaches beyond its file. The receiver checks the seals before
//!    mapping it.
//! 2. Pages are allocated ([`Segment::commit`]) before they are written. If a limit of the process
//!    or the size of the machine's memory leaves no space, that call fails, and no access ends in
//!    SIGBUS. This does not cover a control group limit: the kernel kills a process that exceeds
//!    it. Pages that were never written read as zeros.
//! 3. Only its creator writes a segment, and only through an [`Allocated`] region, which is
//!    consumed when it is handed over. The other side maps the segment read-only. It reads a region
//!    from the message that hands it over until it returns it. A region that is not returned is
//!    never written again, even after the session.
//! 4. Numbers that both sides change are atomics, and every number is validated after it was copied
//!    out.
//! 5. The peer runs this library too: it has presented the token and belongs to the same user.
//!    Against another program that writes memory it has handed over, these checks only guarantee
//!    that every access stays within its mapping.

mod arena;
mod control;
#[cfg(any(test, pytriton_library))]
mod descriptor_server;
mod descriptors;
mod futex;
mod heap;
mod map;
mod segment;
mod sys;
mod view;
mod watch;
mod window;

pub(crate) use arena::{Allocated, Arena};
pub(crate) use control::Control;
pub use control::{Slots, State};
#[cfg(pytriton_library)]
pub(crate) use descriptor_server::serve_descriptors;
pub(crate) use descriptors::{connect, receive, send};
pub(crate) use futex::Futex;
pub use heap::return_large_blocks;
pub(crate) use heap::trim as trim_heap;
pub(crate) use segment::Segment;
pub(crate) use segment::SegmentError;
pub(crate) use view::{View, Views};
pub(crate) use watch::{Registration, Watch, Watched};
pub(crate) use window::RegionOwner;
pub use window::Window;
