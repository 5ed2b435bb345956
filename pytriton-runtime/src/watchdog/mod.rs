//! The watchdog: one thread for the whole process that acts when something has not happened in time.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod watchdog;

pub(crate) use watchdog::{Watch, Watchdog};
