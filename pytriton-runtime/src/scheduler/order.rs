use std::collections::BTreeMap;

/// Gives batches out in the order in which they were taken, whichever is finished first.
#[derive(Debug)]
pub(super) struct Order<T> {
    next: u64,
    held: BTreeMap<u64, T>,
}

impl<T> Order<T> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            held: BTreeMap::new(),
        }
    }

    /// Takes a finished batch and returns all that may leave now.
    pub(super) fn finish(&mut self, sequence: u64, batch: T) -> Vec<T> {
        self.held.insert(sequence, batch);
        let mut leaving = Vec::new();
        while let Some(batch) = self.held.remove(&self.next) {
            leaving.push(batch);
            self.next += 1;
        }
        leaving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_finishes_early() {
        let mut order = Order::new();
        assert_eq!(order.finish(1, "b"), Vec::<&str>::new());
        assert_eq!(order.finish(2, "c"), Vec::<&str>::new());
        assert_eq!(order.finish(0, "a"), ["a", "b", "c"]);
        assert_eq!(order.finish(3, "d"), ["d"]);
    }
}
