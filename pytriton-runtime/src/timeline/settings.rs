use super::number::{count, unsigned};
use super::{Destination, TraceError};

/// What is noted of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceLevel {
    /// When it reaches the rooms.
    pub timestamps: bool,
    /// Its tensors.
    pub tensors: bool,
}

impl TraceLevel {
    /// Whether nothing is.
    pub fn is_off(self) -> bool {
        self == Self::default()
    }

    /// Its names, as clients write them.
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

/// Which requests are traced, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSettings {
    /// What is noted.
    pub level: TraceLevel,
    /// One of so many requests.
    pub rate: u32,
    /// How many are left; -1 for any number.
    pub count: i32,
    /// How many stand in one file; 0 for all.
    pub log_frequency: u32,
    /// Where they go.
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
    /// All but the level, in Triton's order; a name may be there twice.
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
            let told = collector.told();
            values.extend(told.map(|(name, value)| (name, value.to_owned())));
        }
        values
    }

    /// A rate.
    ///
    /// # Errors
    ///
    /// [`TraceError::Number`] and [`TraceError::Range`].
    pub fn parse_rate(text: &str) -> Result<u32, TraceError> {
        unsigned("trace_rate", text)
    }

    /// A count; `blank` stands before the number in its error.
    ///
    /// # Errors
    ///
    /// As [`parse_rate`](Self::parse_rate), and [`TraceError::Count`].
    pub fn parse_count(text: &str, blank: &'static str) -> Result<i32, TraceError> {
        count(text, blank)
    }

    /// How many traces stand in one file.
    ///
    /// # Errors
    ///
    /// As [`parse_rate`](Self::parse_rate).
    pub fn parse_frequency(text: &str) -> Result<u32, TraceError> {
        unsigned("log_frequency", text)
    }
}

/// What becomes of a setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays.
    #[default]
    Keep,
    /// It is that of all models, or of the start, from now on.
    Clear,
    /// It is this.
    Set(T),
}

/// What becomes of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceChanges {
    /// What is noted.
    pub level: Change<TraceLevel>,
    /// One of so many requests.
    pub rate: Change<u32>,
    /// How many.
    pub count: Change<i32>,
    /// How many stand in one file.
    pub log_frequency: Change<u32>,
}
