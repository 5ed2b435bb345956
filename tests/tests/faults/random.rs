use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Moments that differ from run to run, and can be had again with `FAULT_SEED`.
pub(crate) struct Random(u64);

impl Random {
    /// A new seed, which is printed.
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(1, |now| u64::from(now.subsec_nanos()));
        let given = env::var("FAULT_SEED").ok();
        let seed = given.and_then(|seed| seed.parse().ok()).unwrap_or(now);
        println!("FAULT_SEED={seed}");
        Self(seed.wrapping_mul(2) | 1)
    }

    /// Moments that differ from these, and depend on them only.
    pub(crate) fn branch(&mut self) -> Self {
        Self(self.next().wrapping_mul(2) | 1)
    }

    /// Some time shorter than `most`.
    pub(crate) fn moment(&mut self, most: Duration) -> Duration {
        let part = u32::try_from(self.below(1000)).unwrap_or_default();
        most * part / 1000
    }

    /// Some number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    fn next(&mut self) -> u64 {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
