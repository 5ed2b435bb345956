use std::time::{Duration, Instant};

/// How long a duration counts for the quantiles, and in how many steps it expires.
///
/// Source: `prometheus::Summary` of prometheus-cpp, whose defaults Triton uses.
const WINDOWS: usize = 5;
const WINDOW: Duration = Duration::from_secs(60 / WINDOWS as u64);

/// The number of bins between two powers of two: quantiles have an error of at most 1.6 %.
const BITS: u32 = 5;
/// Up to about 18 minutes; longer durations count as that.
const BINS: usize = (40 - BITS as usize + 1) << BITS;

/// Quantiles of the durations of the last minute.
#[derive(Debug, Clone)]
pub struct Summary {
    count: u64,
    ns: u64,
    /// The number of durations in each bin; empty without durations.
    windows: [Vec<u32>; WINDOWS],
    current: usize,
    begun: Instant,
}

impl Summary {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            count: 0,
            ns: 0,
            windows: Default::default(),
            current: 0,
            begun: now,
        }
    }

    pub(super) fn observe(&mut self, ns: u64, now: Instant) {
        self.turn(now);
        self.count += 1;
        self.ns = self.ns.saturating_add(ns);
        let bins = &mut self.windows[self.current];
        if bins.is_empty() {
            bins.resize(BINS, 0);
        }
        let bin = &mut bins[bin(ns)];
        *bin = bin.saturating_add(1);
    }

    /// Removes outdated durations.
    pub(super) fn turn(&mut self, now: Instant) {
        for _ in 0..WINDOWS {
            if now.saturating_duration_since(self.begun) < WINDOW {
                return;
            }
            self.begun += WINDOW;
            self.current = (self.current + 1) % WINDOWS;
            self.windows[self.current].clear();
        }
        self.begun = now;
    }

    /// The quantiles in nanoseconds; `None` without durations.
    pub fn quantiles(&self, quantiles: &[f64]) -> Vec<Option<u64>> {
        let mut sums = Vec::new();
        for bins in self.windows.iter().filter(|bins| !bins.is_empty()) {
            sums.resize(BINS, 0);
            let bins = bins.iter().map(|&count| u64::from(count));
            sums.iter_mut()
                .zip(bins)
                .for_each(|(sum, count)| *sum += count);
        }
        let mut total = 0;
        for sum in &mut sums {
            total += *sum;
            *sum = total;
        }
        let quantiles = quantiles.iter().map(|quantile| {
            let rank = (quantile * total as f64).max(1.0);
            let bin = sums.partition_point(|&sum| (sum as f64) < rank);
            (bin < sums.len()).then(|| middle(bin))
        });
        quantiles.collect()
    }

    /// The number of durations since the start.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of all durations since the start, in nanoseconds.
    pub fn ns(&self) -> u64 {
        self.ns
    }
}

/// The bin of a duration: its highest bits, and the number of bits after them.
fn bin(ns: u64) -> usize {
    let shift = (u64::BITS - (ns >> BITS).leading_zeros()).saturating_sub(1);
    let bin = match ns >> BITS {
        0 => ns,
        _ => (u64::from(shift + 1) << BITS) + ((ns >> shift) - (1 << BITS)),
    };
    usize::try_from(bin).map_or(BINS - 1, |bin| bin.min(BINS - 1))
}

/// The middle of a bin.
fn middle(bin: usize) -> u64 {
    let shift = (bin >> BITS).saturating_sub(1);
    let low = match bin >> BITS {
        0 => bin as u64,
        _ => ((bin & ((1 << BITS) - 1)) as u64 + (1 << BITS)) << shift,
    };
    low + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_ordered_and_precise() {
        let mut last = 0;
        for exponent in 0..39 {
            for eighth in 8..16_u64 {
                let ns = (eighth << exponent) / 8;
                let bin = bin(ns);
                assert!(bin >= last, "{ns}");
                last = bin;
                let error = middle(bin).abs_diff(ns) as f64;
                assert!(error <= 0.016 * ns as f64 + 0.5, "{ns}: {}", middle(bin));
            }
        }
        assert_eq!(bin(u64::MAX), BINS - 1);
    }

    #[test]
    fn quantiles_cover_the_last_minute() {
        let now = Instant::now();
        let mut summary = Summary::new(now);
        assert_eq!(summary.quantiles(&[0.5]), [None]);
        for ns in 1..=1000 {
            summary.observe(ns * 1000, now);
        }
        for (quantile, expected) in [(0.0, 1e3), (0.5, 500e3), (0.99, 990e3), (1.0, 1e6)] {
            let found = summary.quantiles(&[quantile])[0].unwrap() as f64;
            assert!(
                (found - expected).abs() <= expected * 0.02,
                "{quantile}: {found}"
            );
        }
        summary.turn(now + Duration::from_secs(47));
        assert!(summary.quantiles(&[0.5])[0].is_some());
        summary.turn(now + Duration::from_secs(61));
        assert_eq!(summary.quantiles(&[0.5]), [None]);
        summary.observe(7000, now + Duration::from_secs(600));
        assert_eq!((summary.count(), summary.ns()), (1001, 500_507_000));
    }
}
