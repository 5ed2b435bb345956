//! The settings of the log and of Triton's trace extension, which clients can read and change.

mod log_error;
mod log_format;
mod log_settings;
mod trace_changes;
mod trace_error;
mod trace_level;
mod trace_number;

pub use log_error::LogError;
pub use log_format::LogFormat;
pub use log_settings::{LogChange, LogSettings, LogSwitch};
pub use trace_changes::{Change, TraceChanges};
pub use trace_error::TraceError;
pub use trace_level::TraceLevel;
