//! The watchdog: one thread per process that acts when a deadline passes.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod watchdog;

pub(crate) use watchdog::{Watch, Watchdog};
