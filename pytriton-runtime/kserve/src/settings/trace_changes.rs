use super::trace_number::{count, unsigned};
use super::{TraceError, TraceLevel};

/// A change of one setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Keeps the value.
    #[default]
    Keep,
    /// Resets the value to the global one, or to the one at startup.
    Clear,
    /// Sets the value.
    Set(T),
}

/// Changes of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceChanges {
    /// The kinds of events.
    pub level: Change<TraceLevel>,
    /// One in this many requests is traced.
    pub rate: Change<u32>,
    /// The number of traces.
    pub count: Change<i32>,
    /// The number of traces per file.
    pub log_frequency: Change<u32>,
}

impl TraceChanges {
    /// Parses a rate.
    ///
    /// # Errors
    ///
    /// Returns [`TraceError::Number`] or [`TraceError::Range`].
    pub fn parse_rate(text: &str) -> Result<u32, TraceError> {
        unsigned("trace_rate", text)
    }

    /// Parses a count. `blank` precedes the number in the error message.
    ///
    /// # Errors
    ///
    /// Same as [`parse_rate`](Self::parse_rate), and [`TraceError::Count`].
    pub fn parse_count(text: &str, blank: &'static str) -> Result<i32, TraceError> {
        count(text, blank)
    }

    /// Parses the number of traces per file.
    ///
    /// # Errors
    ///
    /// Same as [`parse_rate`](Self::parse_rate).
    pub fn parse_frequency(text: &str) -> Result<u32, TraceError> {
        unsigned("log_frequency", text)
    }
}
