//! The instances of a model: each lives on a thread of its own.
//!
//! A [`Runner`] is all that can call an instance, and it is not `Sync`. Either the thread of the
//! instance owns it, or, for a model with `inline = true`, it is in [`InstanceSlots`], which give
//! it to one thread at a time as an [`InstancePermit`].
//!
//! Where a call of a model may take only so long, each of its instances has a supervisor: what it
//! has begun and not answered is answered in its place when a call does not return, and the
//! instance does not count as one that can take requests until it does. An `async` function is
//! dropped at its limit, so that its instance need not hang.

mod gpus;
#[cfg(test)]
mod hanging_tests;
mod instances;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod runner;
mod slots;
#[cfg(test)]
mod slots_tests;
mod supervised;
mod supervisor;
mod warm;

pub(crate) use gpus::check_devices;
pub use instances::Breakdown;
pub(crate) use instances::{Availability, Change, Instances, Presence};
pub(crate) use runner::{LoadedRunner, MovableRunner, Runner};
pub(crate) use slots::{InstancePermit, InstanceSlots};
