use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Moments that differ from run to run, and can be had again with `FAULT_SEED`.
pub(crate) struct Random(u64);

impl Random {
    /// A new seed, which is printed.
    #[expect(clippy::print_stdout, reason = "shown when the test fails")]
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(1, |now| u64::from(now.subsec_nanos()));
        let given = env::var("FAULT_SEED").ok();
        let seed = given.and_then(|seed| seed.parse().ok()).unwrap_or(now);
        println!("FAULT_SEED={seed}");
        Self(seed.wrapping_mul(2) | 1)
    }

    /// Some time shorter than `most`.
    pub(crate) fn moment(&mut self, most: Duration) -> Duration {
        // xorshift64
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let part = u32::try_from(self.0 % 1000).unwrap_or_default();
        most * part / 1000
    }
}
