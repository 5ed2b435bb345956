use pytriton_kserve::TraceLevel;

use super::Destination;

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
}
