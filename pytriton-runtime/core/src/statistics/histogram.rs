/// The upper bounds of the histogram buckets, in nanoseconds: from 25 µs to one minute.
pub(crate) const BOUNDS: [u64; 20] = [
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
    60_000_000_000,
];

/// The bounds of Triton's histogram of first responses.
///
/// Source: `MetricReporterConfig::histogram_options_` of Triton's core from 24.11.
pub(crate) const FIRST_RESPONSE_BOUNDS: [u64; 4] =
    [100_000_000, 500_000_000, 2_000_000_000, 5_000_000_000];

/// A histogram of durations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    bounds: &'static [u64],
    /// One for each bound, and one for longer durations.
    counts: Vec<u64>,
    ns: u64,
}

impl Histogram {
    pub(super) fn new(bounds: &'static [u64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len() + 1],
            ns: 0,
        }
    }

    pub(super) fn observe(&mut self, ns: u64) {
        let bucket = self.bounds.partition_point(|&bound| bound < ns);
        self.counts[bucket] += 1;
        self.ns = self.ns.saturating_add(ns);
    }

    /// The bounds in nanoseconds, ascending, each with the number of durations that do not exceed
    /// it.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut sum = 0;
        self.bounds
            .iter()
            .zip(&self.counts)
            .map(move |(bound, count)| {
                sum += count;
                (*bound, sum)
            })
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum of all durations, in nanoseconds.
    pub fn ns(&self) -> u64 {
        self.ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_bounds_are_inclusive() {
        let mut histogram = Histogram::new(&FIRST_RESPONSE_BOUNDS);
        for ms in [0, 100, 101, 5000, 5001] {
            histogram.observe(ms * 1_000_000);
        }
        let buckets: Vec<u64> = histogram.buckets().map(|(_, count)| count).collect();
        assert_eq!(buckets, [2, 3, 3, 4]);
        assert_eq!(histogram.count(), 5);
        assert_eq!(histogram.ns(), 10_202_000_000);
        assert!(BOUNDS.is_sorted());
    }
}
