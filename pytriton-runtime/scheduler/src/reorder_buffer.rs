use std::collections::BTreeMap;
use std::mem::take;

/// Returns batches in order of their sequence numbers, regardless of the order in which they
/// finish.
#[derive(Debug)]
pub(super) struct ReorderBuffer<T> {
    next: u64,
    /// Keyed by the first sequence number.
    held: BTreeMap<u64, Run<T>>,
    /// The number of runs at which unwanted batches are removed.
    compact_at: usize,
}

/// A held batch, or a run of successive batches that are no longer wanted.
#[derive(Debug)]
struct Run<T> {
    end: u64,
    batch: Option<T>,
}

/// Fewer runs are not worth the search.
const MIN_RUNS_TO_COMPACT: usize = 64;

impl<T> ReorderBuffer<T> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            held: BTreeMap::new(),
            compact_at: MIN_RUNS_TO_COMPACT,
        }
    }

    /// Adds a finished batch and returns all batches that may leave now. `retain` returns the part
    /// of a held batch that is still wanted. At most twice as many batches are held as are wanted,
    /// plus a few.
    pub(super) fn finish(
        &mut self,
        sequence: u64,
        batch: T,
        retain: impl FnMut(T) -> Option<T>,
    ) -> Vec<T> {
        let run = Run {
            end: sequence + 1,
            batch: Some(batch),
        };
        self.held.insert(sequence, run);
        let mut leaving = Vec::new();
        while let Some(run) = self.held.remove(&self.next) {
            self.next = run.end;
            leaving.extend(run.batch);
        }
        if self.held.len() >= self.compact_at {
            self.compact(retain);
        }
        leaving
    }

    fn compact(&mut self, mut retain: impl FnMut(T) -> Option<T>) {
        let mut left: Vec<(u64, Run<T>)> = Vec::new();
        for (first, mut run) in take(&mut self.held) {
            run.batch = run.batch.and_then(&mut retain);
            match left.last_mut() {
                Some((_, before))
                    if before.end == first && before.batch.is_none() && run.batch.is_none() =>
                {
                    before.end = run.end;
                }
                _ => left.push((first, run)),
            }
        }
        self.compact_at = MIN_RUNS_TO_COMPACT.max(2 * left.len());
        self.held = left.into_iter().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_results_wait_for_their_turn() {
        let mut order = ReorderBuffer::new();
        assert_eq!(order.finish(1, "b", Some), Vec::<&str>::new());
        assert_eq!(order.finish(2, "c", Some), Vec::<&str>::new());
        assert_eq!(order.finish(0, "a", Some), ["a", "b", "c"]);
        assert_eq!(order.finish(3, "d", Some), ["d"]);
    }

    #[test]
    fn unwanted_batches_are_dropped() {
        let mut order = ReorderBuffer::new();
        let retain = |batch: u64| batch.is_multiple_of(1000).then_some(batch);
        for sequence in 1..=10_000 {
            assert!(order.finish(sequence, sequence, retain).is_empty());
            assert!(
                order.held.len() <= MIN_RUNS_TO_COMPACT.max(2 * 21),
                "{}",
                order.held.len()
            );
        }
        // Batches that have not been checked since then leave with the others.
        let left = order.finish(0, 0, retain);
        assert!(left.len() < MIN_RUNS_TO_COMPACT && left.is_sorted());
        let left = left.into_iter().filter_map(retain);
        assert!(left.eq((0..=10).map(|thousand| 1000 * thousand)));
        assert_eq!(order.finish(10_001, 10_001, retain), [10_001]);
        assert!(order.held.is_empty());
    }
}
