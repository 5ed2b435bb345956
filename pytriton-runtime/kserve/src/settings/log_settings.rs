use super::LogFormat;

/// The settings of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// The log file; empty for standard error.
    pub file: String,
    /// Whether info lines are logged.
    pub info: bool,
    /// Whether warnings are logged.
    pub warning: bool,
    /// Whether errors are logged.
    pub error: bool,
    /// 1 also logs debug lines, 2 and more also trace lines.
    pub verbose: u32,
    /// The format of the lines.
    pub format: LogFormat,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            file: String::new(),
            info: true,
            warning: true,
            error: true,
            verbose: 0,
            format: LogFormat::Human,
        }
    }
}

/// A change of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogChange {
    /// Whether info lines are logged.
    Info(bool),
    /// Whether warnings are logged.
    Warning(bool),
    /// Whether errors are logged.
    Error(bool),
    /// The verbosity.
    Verbose(u32),
    /// The format of the lines.
    Format(LogFormat),
}

/// Enables or disables a level.
pub type LogSwitch = fn(bool) -> LogChange;
