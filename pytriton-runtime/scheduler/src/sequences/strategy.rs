use std::time::Duration;

use pytriton_core::model::{Batcher, ModelSpec, SequenceScheduling};

/// When the requests at the heads of an instance's slots form a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Strategy {
    /// All at once, in the order of the slots.
    Direct {
        delay: Duration,
        /// The fraction of slots that must be filled before a batch leaves early.
        utilization: f32,
        rows: u32,
    },
    /// With the dynamic batcher, in the order in which they became heads.
    Oldest,
}

impl Strategy {
    pub(super) fn new(spec: &ModelSpec, batcher: &Batcher) -> Self {
        match batcher.sequences {
            Some(SequenceScheduling::Oldest) => Self::Oldest,
            _ => Self::Direct {
                delay: Duration::from_micros(batcher.options.max_queue_delay_microseconds),
                utilization: batcher.options.minimum_slot_utilization,
                rows: spec.max_batch_size,
            },
        }
    }
}

/// Returns how long a batch must wait for more requests, if at all. `ready` slots are filled, and
/// the oldest request has waited for `waited`.
pub(super) fn delay(
    (delay, utilization, rows): (Duration, f32, u32),
    ready: u32,
    waited: Duration,
) -> Option<Duration> {
    let (ready, rows) = (f64::from(ready), f64::from(rows));
    if utilization == 0.0 || ready >= f64::from(utilization) * rows {
        return None;
    }
    let left = delay.checked_sub(waited)?;
    (!left.is_zero()).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_waits_until_enough_slots_have_a_request() {
        let table = [
            // Delay, utilization, rows, ready, waited, expected.
            (0, 0.0, 4, 1, 0, None),
            (0, 1.0, 4, 1, 0, None),
            (100, 0.0, 4, 1, 0, None),
            (100, 0.5, 4, 1, 0, Some(100)),
            (100, 0.5, 4, 1, 40, Some(60)),
            (100, 0.5, 4, 1, 100, None),
            (100, 0.5, 4, 1, 101, None),
            (100, 0.5, 4, 2, 0, None),
            (100, 0.5, 4, 4, 0, None),
            (100, 1.0, 4, 3, 0, Some(100)),
            (100, 1.0, 4, 4, 0, None),
            (100, 1.0, 0, 1, 0, None),
        ];
        for (most, utilization, rows, ready, waited, expected) in table {
            let microseconds = Duration::from_micros;
            let rule = (microseconds(most), utilization, rows);
            let got = delay(rule, ready, microseconds(waited));
            let case = format!("{most} {utilization} {rows} {ready} {waited}");
            assert_eq!(got, expected.map(microseconds), "{case}");
        }
    }
}
