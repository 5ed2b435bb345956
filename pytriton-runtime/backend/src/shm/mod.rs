//! Shared memory, its wake-ups, and the file descriptors that are handed over for it. With `ffi` the only room with
//! `unsafe` code.
//!
//! Nothing here is public: what is safe to call is so within this crate, whose other rooms keep to the invariants.
//!
//! Invariants, on which the SAFETY comments below rely:
//!
//! 1. A segment is a `memfd` sealed against shrinking, growing and further seals before anybody else sees it: a mapping
//!    never reaches beyond its file. Whoever receives one looks at the seals before mapping it.
//! 2. Pages are allocated ([`Segment::commit`]) before they are written: where a limit of the process or the size of the
//!    machine's memory leaves no room, that call fails, and no access ends in SIGBUS. A limit of a control group is no such
//!    limit: beyond it the kernel ends the process. Pages that were never written read as zeros.
//! 3. A segment is written by its creator alone, and only through an [`Allocated`] region, which is given up when it is
//!    handed over. The other side maps the segment read-only and reads a region from the message that hands it over
//!    until it gives it back; a region that is not given back is never written again, whatever becomes of the session.
//! 4. Numbers that both sides change are atomics, and every number is checked after it was copied out.
//! 5. The other side is this library too: it has shown the token, and is of the same user. Against another program that
//!    writes what it has handed over, these checks keep every access within its mapping, and no more.

mod arena;
mod control;
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
pub(crate) use descriptors::{connect, receive, send};
pub(crate) use futex::Futex;
pub use heap::return_large_blocks;
pub(crate) use heap::trim as trim_heap;
pub(crate) use segment::Segment;
pub(crate) use segment::SegmentError;
pub(crate) use view::{View, Views};
pub(crate) use watch::{Registration, Watch, Watched};
pub(crate) use window::Lender;
pub use window::Window;
