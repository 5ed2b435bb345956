//! Shared memory, its wake-ups, and the file descriptors that are handed over for it. With `ffi` the only room with
//! `unsafe` code.
//!
//! Invariants, on which the SAFETY comments below rely:
//!
//! 1. A segment is a `memfd` sealed against shrinking, growing and further seals before anybody else sees it: a mapping
//!    never reaches beyond its file. Whoever receives one looks at the seals before mapping it.
//! 2. Pages are allocated ([`Segment::commit`]) before they are written: where there is no memory, that call fails, and
//!    no access ever ends in SIGBUS. Pages that were never written read as zeros.
//! 3. A segment is written by its creator alone, and only while it is the creator's turn on the
//!    [doorbell](crate::channel::Doorbell). The other side maps it read-only and reads it only during its own turn,
//!    through a [`Lease`], which says at its end whether somebody still holds a part of it.
//! 4. Numbers that both sides change are atomics, and every number is checked after it was copied out.

mod control;
mod descriptors;
mod futex;
mod hangup;
mod lease;
mod lender;
mod map;
mod segment;
mod sys;
mod view;

pub use control::Control;
pub use descriptors::{receive, send};
pub use futex::Futex;
pub use hangup::hung_up;
pub use lease::{Lease, Window};
pub use lender::lend;
pub use segment::{Segment, SegmentError};
pub use view::View;
