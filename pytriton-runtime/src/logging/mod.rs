//! Logging for humans and machines. Text from clients and user code is escaped and limited in both.

#[cfg(test)]
#[cfg(feature = "embedded")]
mod blocked_tests;
mod filter;
mod forms;
mod gate;
mod human;
mod json;
mod lines;
#[cfg(feature = "embedded")]
mod live;
mod log;
mod queue;
mod settings;
mod sink;
#[cfg(test)]
mod written;

#[cfg(feature = "embedded")]
pub(crate) use live::{settings, update, write_to};
pub use log::LogFormat;
pub(crate) use log::init;
#[cfg(feature = "embedded")]
pub use settings::LogError;
pub(crate) use settings::LogSettings;
#[cfg(feature = "embedded")]
pub(crate) use settings::{LogChange, LogSwitch};
pub(crate) use sink::{flush, print_error};
