use super::number::{count, unsigned};
use super::{Destination, TraceError};

/// The kinds of events that are recorded of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceLevel {
    /// The times at which it reaches each stage.
    pub timestamps: bool,
    /// Its tensors.
    pub tensors: bool,
}

impl TraceLevel {
    /// Returns whether nothing is recorded.
    pub fn is_off(self) -> bool {
        self == Self::default()
    }

    /// Returns the names as clients write them.
    pub fn names(self) -> Vec<&'static str> {
        let levels = [(self.timestamps, "TIMESTAMPS"), (self.tensors, "TENSORS")];
        match self.is_off() {
            true => vec!["OFF"],
            false => levels
                .into_iter()
                .filter_map(|(on, name)| on.then_some(name))
                .collect(),
        }
    }
}

/// The sampling and the destination of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSettings {
    /// The kinds of events.
    pub level: TraceLevel,
    /// One in this many requests is traced.
    pub rate: u32,
    /// The remaining number of traces; -1 is unlimited.
    pub count: i32,
    /// The number of traces per file; 0 for a single file.
    pub log_frequency: u32,
    /// The destination.
    pub destination: Destination,
}

impl Default for TraceSettings {
    fn default() -> Self {
        Self {
            level: TraceLevel::default(),
            rate: 1000,
            count: -1,
            log_frequency: 0,
            destination: Destination::default(),
        }
    }
}

impl TraceSettings {
    /// Returns all settings but the level, in Triton's order. A name may occur twice.
    pub fn values(&self) -> Vec<(&'static str, String)> {
        let mut values = vec![
            ("trace_rate", self.rate.to_string()),
            ("trace_count", self.count.to_string()),
        ];
        if let Destination::File(path) = &self.destination {
            values.push(("log_frequency", self.log_frequency.to_string()));
            values.push(("trace_file", path.clone()));
        }
        values.push(("trace_mode", self.destination.mode().to_owned()));
        if let Destination::Collector(collector) = &self.destination {
            let reported = collector.reported();
            values.extend(reported.map(|(name, value)| (name, value.to_owned())));
        }
        values
    }

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
