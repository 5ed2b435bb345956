//! Logging for humans and machines. Text from clients and user code is escaped and limited in both.

#[cfg(feature = "embedded")]
mod active_log;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod blocked_tests;
#[cfg(test)]
mod captured_output;
mod filter;
mod forms;
mod human;
mod json;
mod line_filter;
mod lines;
mod log;
mod queue;
mod settings;
mod sink;

#[cfg(feature = "embedded")]
pub(crate) use active_log::{settings, update, write_to};
pub use log::LogFormat;
pub(crate) use log::init;
#[cfg(feature = "embedded")]
pub use settings::LogError;
pub(crate) use settings::LogSettings;
#[cfg(feature = "embedded")]
pub(crate) use settings::{LogChange, LogSwitch};
pub(crate) use sink::{flush, print_error};
