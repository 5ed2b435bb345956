//! The instances of a model: each lives on a thread, and which of them can take requests is counted.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod host;
mod instances;

#[cfg(target_os = "linux")]
pub(crate) use host::Detached;
pub(crate) use host::Host;
pub(crate) use instances::{Availability, Instances};
