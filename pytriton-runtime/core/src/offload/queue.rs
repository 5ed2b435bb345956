use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::threads::begin;

/// The assumed speed of work in bytes per millisecond. If all processors are busy, an offload thread
/// gets only a tenth of one.
const BYTES_PER_MILLISECOND: usize = 1 << 10;

/// The maximum assumed duration. After this time, no work that arrives later is preferred.
const MAX_DURATION_MS: usize = 10_000;

/// Work that runs at most once, and does not panic.
#[derive(Clone)]
pub(super) struct Work(Arc<Mutex<Option<Function>>>);

type Function = Box<dyn FnOnce() + Send>;

impl Work {
    pub(super) fn new(work: impl FnOnce() + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(work)))))
    }

    pub(super) fn run(&self) {
        let work = self.0.lock().take();
        if let Some(work) = work {
            work();
        }
    }

    /// Drops work that has not started, with its memory.
    pub(super) fn cancel(&self) {
        let work = self.0.lock().take();
        drop(work);
    }
}

/// A queue of work for a limited number of threads. The next work is the one that would be finished
/// first if all of it had started when it arrived, so that short work does not wait for all longer
/// work before it.
///
/// The queue contains the work, not its callers: a caller that is not polled does not delay others.
pub(super) struct WorkQueue(Mutex<State>);

struct State {
    /// The number of threads that may still start.
    free: usize,
    /// The number of works that had to wait.
    waits: u64,
    waiting: BinaryHeap<Reverse<Waiting>>,
}

/// Work without a thread, ordered by its assumed end.
struct Waiting {
    end: Instant,
    /// Orders work with the same end by arrival.
    number: u64,
    work: Work,
}

/// The permit to use one of the threads, or the current thread instead of it.
pub(super) struct Permit(&'static WorkQueue);

impl WorkQueue {
    /// Creates a queue for this number of threads.
    pub(super) fn new(threads: usize) -> Self {
        Self(Mutex::new(State {
            free: threads,
            waits: 0,
            waiting: BinaryHeap::new(),
        }))
    }

    /// Returns a permit if one is free.
    pub(super) fn try_acquire(&'static self) -> Option<Permit> {
        let mut state = self.0.lock();
        state.free = state.free.checked_sub(1)?;
        Some(Permit(self))
    }

    /// Runs work on that many bytes, on one of the threads.
    pub(super) fn run(&'static self, bytes: usize, work: Work) {
        let mut state = self.0.lock();
        if let Some(free) = state.free.checked_sub(1) {
            state.free = free;
            drop(state);
            return Permit(self).begin(work);
        }
        let number = state.waits;
        state.waits += 1;
        state.waiting.push(Reverse(Waiting {
            end: Instant::now() + assumed_duration(bytes),
            number,
            work,
        }));
    }

    /// Removes the next work. If the queue is empty, a permit becomes free.
    fn next(&self) -> Option<Work> {
        let mut state = self.0.lock();
        let next = state.waiting.pop();
        if next.is_none() {
            state.free += 1;
        }
        next.map(|Reverse(next)| next.work)
    }
}

fn assumed_duration(bytes: usize) -> Duration {
    let milliseconds = (bytes / BYTES_PER_MILLISECOND).min(MAX_DURATION_MS);
    Duration::from_millis(milliseconds as u64)
}

impl Permit {
    fn begin(self, work: Work) {
        begin(move || {
            work.run();
            drop(self);
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(work) = self.0.next() {
            Self(self.0).begin(work);
        }
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.end, self.number).cmp(&(other.end, other.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, mpsc};

    use super::*;

    fn queue(threads: usize) -> &'static WorkQueue {
        Box::leak(Box::new(WorkQueue::new(threads)))
    }

    /// Waits until this number of permits is free.
    fn wait_for_free(queue: &WorkQueue, free: usize) {
        let begun = Instant::now();
        while queue.0.lock().free != free {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::yield_now();
        }
    }

    #[test]
    fn permits_are_limited_and_returned() {
        for count in [1, 2, 5] {
            let queue = queue(count);
            let held: Vec<_> = (0..count).map(|_| queue.try_acquire().unwrap()).collect();
            assert!(queue.try_acquire().is_none());
            drop(held);
            assert_eq!(queue.0.lock().free, count);
        }
    }

    #[test]
    fn shorter_work_is_first_and_equal_work_in_order() {
        let queue = queue(1);
        let (sender, receiver) = mpsc::channel();
        let held = queue.try_acquire().unwrap();
        for (name, bytes) in [
            ("a", 64 << 20),
            ("b", 4 << 20),
            ("c", 1 << 20),
            ("d", 64 << 20),
            ("e", 1 << 10),
            ("f", 4 << 20),
        ] {
            let sender = sender.clone();
            queue.run(bytes, Work::new(move || sender.send(name).unwrap()));
        }
        drop((held, sender));
        let order: String = receiver.iter().collect();
        assert_eq!(order, "ecbfad");
        wait_for_free(queue, 1);
    }

    #[test]
    fn cancelled_work_is_dropped_at_once() {
        for cancelled in 0..3 {
            let queue = queue(1);
            let held = queue.try_acquire().unwrap();
            let (sender, receiver) = mpsc::channel();
            let works: Vec<_> = (0..3)
                .map(|number| {
                    let sender = sender.clone();
                    Work::new(move || sender.send(number).unwrap())
                })
                .collect();
            for work in &works {
                queue.run(1, work.clone());
            }
            works[cancelled].cancel();
            assert!(works[cancelled].0.lock().is_none());
            drop((held, sender));
            let numbers: Vec<_> = receiver.iter().collect();
            let expected: Vec<_> = (0..3).filter(|number| *number != cancelled).collect();
            assert_eq!(numbers, expected);
            wait_for_free(queue, 1);
        }
    }

    #[test]
    fn every_thread_works() {
        for threads in [1, 2] {
            let queue = queue(threads);
            let (sender, receiver) = mpsc::channel();
            // As many as there are threads must run at the same time.
            let barrier = Arc::new(Barrier::new(threads));
            for number in 0..4 * threads {
                let (sender, barrier) = (sender.clone(), Arc::clone(&barrier));
                let work = move || {
                    barrier.wait();
                    sender.send(number).unwrap();
                };
                queue.run(1, Work::new(work));
            }
            drop(sender);
            let mut numbers: Vec<_> = receiver.iter().collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..4 * threads).collect::<Vec<_>>());
            wait_for_free(queue, threads);
        }
    }
}
