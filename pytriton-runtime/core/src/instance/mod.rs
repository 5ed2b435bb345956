//! The instances of a model.
//!
//! Only a [`Runner`] can call an instance, and it is not `Sync`. It belongs to one thread, or to
//! whatever passes it from one thread to another.
//!
//! If calls of a model have a time limit, each instance has a supervisor. When a call exceeds the
//! limit, the supervisor responds to everything the instance has in flight. The instance does not
//! count as available until the call returns. An `async` function is dropped at its limit, so its
//! instance need not stall.

mod gpus;
mod instance_runner;
mod instances;
#[cfg(test)]
mod stall_tests;
mod supervised;
mod supervisor;
mod warm_up;

pub use gpus::check_devices;
pub use instance_runner::{LoadedRunner, MovableRunner, Runner};
pub use instances::{Availability, Change, FatalError, InstanceGuard, Instances};
