use std::sync::PoisonError;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// Where one thread hands something over to whichever of several others is free.
///
/// What is handed over changes places with what the taker brings, so that its memory is used again.
#[derive(Debug)]
pub(crate) struct Handoff<T> {
    counter: Mutex<Counter<T>>,
    given: Condvar,
    free: Condvar,
}

#[derive(Debug)]
struct Counter<T> {
    item: T,
    full: bool,
    takers: usize,
    closed: bool,
}

impl<T> Handoff<T> {
    /// An empty one; `item` is what the first taker gets its memory from.
    pub(crate) fn new(item: T) -> Self {
        Self {
            counter: Mutex::new(Counter {
                item,
                full: false,
                takers: 0,
                closed: false,
            }),
            given: Condvar::new(),
            free: Condvar::new(),
        }
    }

    /// Waits until somebody is free, and lets `fill` write what that one gets.
    pub(crate) fn give(&self, fill: impl FnOnce(&mut T)) {
        let mut counter = self.lock();
        while counter.full || counter.takers == 0 {
            counter = wait(&self.free, counter);
        }
        fill(&mut counter.item);
        counter.full = true;
        counter.takers -= 1;
        self.given.notify_one();
    }

    /// Waits for something and puts it in the place of `mine`; returns whether anything came before the end.
    pub(crate) fn take(&self, mine: &mut T) -> bool {
        let mut counter = self.lock();
        counter.takers += 1;
        self.free.notify_one();
        while !counter.full {
            if counter.closed {
                return false;
            }
            counter = wait(&self.given, counter);
        }
        std::mem::swap(&mut counter.item, mine);
        counter.full = false;
        self.free.notify_one();
        true
    }

    /// Sends the takers away, once what was given is taken.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.given.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Counter<T>> {
        // Nothing under this lock panics half-way.
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    // As above.
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, loom))]
mod tests {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// Takes until the end, and returns the sum of it.
    fn sum(handoff: &Handoff<Vec<u32>>) -> u32 {
        let (mut mine, mut sum) = (Vec::new(), 0);
        while handoff.take(&mut mine) {
            sum += mine.drain(..).sum::<u32>();
        }
        sum
    }

    #[test]
    fn everything_is_taken_once_and_nobody_waits_for_ever() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let handoff = Arc::new(Handoff::new(Vec::new()));
            let takers = [(); 2].map(|()| {
                let handoff = Arc::clone(&handoff);
                thread::spawn(move || sum(&handoff))
            });
            for item in [1, 2, 4] {
                handoff.give(|items| {
                    assert!(items.is_empty());
                    items.push(item);
                });
            }
            handoff.close();
            let sums = takers.map(|taker| taker.join().unwrap());
            assert_eq!(sums[0] + sums[1], 7);
        });
    }
}
