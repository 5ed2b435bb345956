//! The table of the counters of a model that are ours and not Triton's.
//!
//! A row is the documentation, name, metric, unit and help of a counter. The metrics port reports
//! every row, and [`Recorder::count`](super::Recorder::count) counts it.

/// The unit in which a counter is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterUnit {
    /// Events.
    Events,
    /// Nanoseconds. The metric is in seconds.
    Nanoseconds,
}

macro_rules! counters {
    ($($(#[$doc:meta])* $counter:ident: $metric:literal, $unit:ident, $help:literal;)*) => {
        /// A counter of a model.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Counter {
            $($(#[$doc])* $counter,)*
        }

        impl Counter {
            /// All counters.
            pub const ALL: &[Self] = &[$(Self::$counter),*];

            /// The name of the metric.
            pub const fn metric(self) -> &'static str {
                match self {
                    $(Self::$counter => $metric,)*
                }
            }

            /// The description of the metric.
            pub const fn help(self) -> &'static str {
                match self {
                    $(Self::$counter => $help,)*
                }
            }

            /// The unit in which it is counted.
            pub const fn unit(self) -> CounterUnit {
                match self {
                    $(Self::$counter => CounterUnit::$unit,)*
                }
            }
        }
    };
}

counters! {
    /// The time in which instances have executed batches.
    Busy: "pytriton_instance_busy_seconds_total", Nanoseconds,
        "Total execution time of completed batches, over all instances";
}

/// The values of all counters of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CounterValues([u64; Counter::ALL.len()]);

impl CounterValues {
    /// Adds to a counter, in its unit.
    pub fn add(&mut self, counter: Counter, amount: u64) {
        let value = &mut self.0[counter as usize];
        *value = value.saturating_add(amount);
    }

    /// Returns a counter in its unit.
    pub fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    /// Returns a counter in the unit of its metric.
    pub fn metric(&self, counter: Counter) -> f64 {
        let value = self.get(counter) as f64;
        match counter.unit() {
            CounterUnit::Events => value,
            CounterUnit::Nanoseconds => value / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_reported_in_seconds() {
        let mut values = CounterValues::default();
        values.add(Counter::Busy, 1_500_000_000);
        values.add(Counter::Busy, u64::MAX);
        assert_eq!(values.get(Counter::Busy), u64::MAX);
        let mut values = CounterValues::default();
        values.add(Counter::Busy, 1_500_000_000);
        assert_eq!(values.metric(Counter::Busy), 1.5);
    }

    #[test]
    fn names_are_those_of_our_counters_and_unique() {
        let mut names: Vec<_> = Counter::ALL.iter().map(|row| row.metric()).collect();
        for name in &names {
            assert!(
                name.starts_with("pytriton_") && name.ends_with("_total"),
                "{name}"
            );
        }
        for row in Counter::ALL {
            let seconds = row.metric().ends_with("_seconds_total");
            assert_eq!(row.unit() == CounterUnit::Nanoseconds, seconds, "{row:?}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Counter::ALL.len());
    }
}
