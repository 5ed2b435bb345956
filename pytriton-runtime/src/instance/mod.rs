//! The instances of a model, each on its own thread.
//!
//! Only a [`Runner`] can call an instance, and it is not `Sync`. Usually the thread of the instance
//! owns it. For a model with `inline = true` it is in [`InstanceSlots`], which hand it to one
//! thread at a time as an [`InstancePermit`].
//!
//! If calls of a model have a time limit, each instance has a supervisor. When a call exceeds the
//! limit, the supervisor responds to everything the instance has in flight. The instance does not
//! count as available until the call returns. An `async` function is dropped at its limit, so its
//! instance need not stall.

mod gpus;
mod instances;
mod runner;
mod slots;
#[cfg(test)]
mod slots_tests;
#[cfg(test)]
mod stall_tests;
mod supervised;
mod supervisor;
mod warm_up;

pub(crate) use gpus::check_devices;
pub use instances::FatalError;
pub(crate) use instances::{Availability, Change, InstanceGuard, Instances};
pub(crate) use runner::{LoadedRunner, MovableRunner, Runner};
pub(crate) use slots::{InstancePermit, InstanceSlots};
