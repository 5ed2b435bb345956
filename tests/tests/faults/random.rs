use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A random number generator; `FAULT_SEED` repeats its sequence.
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator with a new seed, and prints it.
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(1, |now| u64::from(now.subsec_nanos()));
        let given = env::var("FAULT_SEED").ok();
        let seed = given.and_then(|seed| seed.parse().ok()).unwrap_or(now);
        println!("FAULT_SEED={seed}");
        Self(seed.wrapping_mul(2) | 1)
    }

    /// Derives a generator with a different sequence that depends only on this one.
    pub(crate) fn branch(&mut self) -> Self {
        Self(self.next().wrapping_mul(2) | 1)
    }

    /// Returns a duration shorter than `most`.
    pub(crate) fn moment(&mut self, most: Duration) -> Duration {
        let share = u32::try_from(self.below(1000)).unwrap_or_default();
        most * share / 1000
    }

    /// Returns a number below `end`.
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
