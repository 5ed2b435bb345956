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
mod sink;

#[cfg(feature = "embedded")]
pub(crate) use active_log::{settings, update, write_to};
pub(crate) use log::{init, log_format_parser};
pub(crate) use pytriton_kserve::LogSettings;
pub(crate) use sink::{flush, print_error};
