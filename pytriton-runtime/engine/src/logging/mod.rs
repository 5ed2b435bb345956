//! Logging for humans and machines. Text from clients and user code is escaped and limited in both.

mod access;
mod access_log_format;
mod active_log;
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

pub use access::{AccessLine, InferenceSummary};
pub use access_log_format::AccessLogFormat;
pub(crate) use access_log_format::access_log_parser;
pub use active_log::{settings, update, write_to};
#[cfg(test)]
pub(crate) use captured_output::CapturedOutput;
pub use log::init;
pub(crate) use log::log_format_parser;
pub use pytriton_kserve::LogSettings;
pub use sink::{flush, print_error, write_access};
