//! The watchdog: one thread per process that acts when a deadline passes.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod watchdog;

pub(crate) use watchdog::{Watch, Watchdog};
