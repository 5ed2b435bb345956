//! The watchdog: one thread per process that acts when a deadline passes.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::Notify;

use crate::panic::discard;

static WATCHDOG: Watchdog = Watchdog::new();

/// A thread that sleeps until the nearest deadline, or forever without one.
///
/// All models share it, so it must never block. At a deadline it notifies a task, or starts a
/// thread for the action.
#[derive(Debug)]
pub struct Watchdog {
    state: Mutex<State>,
    earlier: Condvar,
}

#[derive(Debug)]
struct State {
    started: bool,
    /// The next time at which the thread checks, whether it is asleep or was just woken; `None` for
    /// never.
    next_check: Option<Instant>,
    next: u64,
    deadlines: BTreeMap<Deadline, Expiry>,
}

/// The time, and a number that distinguishes deadlines at the same time.
type Deadline = (Instant, u64);

/// The action at a deadline.
enum Expiry {
    /// Runs on the watchdog thread.
    Notify(Arc<Notify>),
    /// Runs on a separate thread, because it may block.
    Run(Box<dyn FnOnce() + Send>),
}

/// The delay before another attempt to start a thread if the system refuses.
const THREAD_RETRY: Duration = Duration::from_millis(10);

impl Watchdog {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                started: false,
                next_check: None,
                next: 0,
                deadlines: BTreeMap::new(),
            }),
            earlier: Condvar::new(),
        }
    }

    /// Returns the watchdog of the process. The first call starts its thread.
    ///
    /// # Errors
    ///
    /// Returns the system's error if it refuses to start the thread.
    pub fn started() -> io::Result<&'static Self> {
        WATCHDOG.start()
    }

    fn start(&'static self) -> io::Result<&'static Self> {
        let mut state = self.state.lock();
        if !state.started {
            let thread = thread::Builder::new().name("watchdog".to_owned());
            thread.spawn(|| self.run())?;
            state.started = true;
        }
        Ok(self)
    }

    /// Runs `on_expiry` once at the deadline on a separate thread, unless the returned guard is
    /// dropped before. It may still be running when the drop returns.
    pub fn run_at(
        &'static self,
        deadline: Instant,
        on_expiry: impl FnOnce() + Send + 'static,
    ) -> Watch {
        self.watch(deadline, Expiry::Run(Box::new(on_expiry)))
    }

    /// Notifies one task at the deadline, unless the returned guard is dropped before.
    pub fn notify_at(&'static self, deadline: Instant, task: Arc<Notify>) -> Watch {
        self.watch(deadline, Expiry::Notify(task))
    }

    fn watch(&'static self, deadline: Instant, expiry: Expiry) -> Watch {
        let mut state = self.state.lock();
        let deadline = state.insert(deadline, expiry);
        if state
            .next_check
            .is_none_or(|next_check| deadline.0 < next_check)
        {
            state.next_check = Some(deadline.0);
            self.earlier.notify_one();
        }
        Watch {
            watchdog: self,
            deadline,
        }
    }

    fn run(&self) {
        let mut state = self.state.lock();
        loop {
            let now = Instant::now();
            let nearest = state.deadlines.first_key_value().map(|(&(at, _), _)| at);
            // By now the awaited event has often happened. The thread still sleeps until then:
            // later deadlines do not need to wake it.
            state.next_check = nearest.or(state.next_check.filter(|&next_check| next_check > now));
            let left = state.next_check.map(|at| at.saturating_duration_since(now));
            match left {
                Some(Duration::ZERO) => {
                    let expired = state.deadlines.pop_first();
                    drop(state);
                    let left = expired.and_then(|(_, expiry)| expiry.act());
                    state = self.state.lock();
                    if let (Some(expiry), Some(later)) = (left, now.checked_add(THREAD_RETRY)) {
                        state.insert(later, expiry);
                    }
                }
                Some(left) => {
                    self.earlier.wait_for(&mut state, left);
                }
                None => self.earlier.wait(&mut state),
            }
        }
    }
}

impl State {
    fn insert(&mut self, deadline: Instant, expiry: Expiry) -> Deadline {
        let deadline = (deadline, self.next);
        self.next += 1;
        self.deadlines.insert(deadline, expiry);
        deadline
    }
}

impl Expiry {
    /// Performs the action without blocking. Returns the action if it needs a thread and the system
    /// refuses to start one.
    fn act(self) -> Option<Self> {
        let run = match self {
            Self::Notify(task) => {
                task.notify_one();
                return None;
            }
            Self::Run(run) => run,
        };
        let run = Arc::new(Mutex::new(Some(run)));
        let taken = Arc::clone(&run);
        let thread = thread::Builder::new().name("expiry".to_owned());
        let spawned = thread.spawn(move || {
            let run = take(&taken);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run.map(|run| run()))) {
                discard(panic);
            }
        });
        match spawned {
            Ok(_) => None,
            Err(_) => take(&run).map(Self::Run),
        }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    // No panic can leave it inconsistent.
    slot.lock().take()
}

impl fmt::Debug for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Expiry")
    }
}

/// A deadline that is being watched. Dropping it cancels the action.
#[derive(Debug)]
#[must_use = "dropping it at once watches nothing"]
pub struct Watch {
    watchdog: &'static Watchdog,
    deadline: Deadline,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let expiry = self.watchdog.state.lock().deadlines.remove(&self.deadline);
        // Not under the lock: dropping it may run arbitrary code.
        drop(expiry);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;
    use std::sync::mpsc::{Receiver, RecvError, channel};

    use crate::testing::Bomb;

    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);
    const RECEIVE_TIMEOUT: Duration = Duration::from_secs(10);

    fn watchdog() -> &'static Watchdog {
        let watchdog = Box::leak(Box::new(Watchdog::new()));
        watchdog.start().unwrap()
    }

    /// Watches deadlines in that many milliseconds. Returns the guards, and a receiver of the
    /// deadlines that pass and their times.
    fn watch(
        watchdog: &'static Watchdog,
        milliseconds: &[u32],
    ) -> (Vec<Watch>, Receiver<(u32, Instant)>) {
        let (sender, expired) = channel();
        let now = Instant::now();
        let watches = milliseconds.iter().map(|&after| {
            let sender = sender.clone();
            let on_expiry = move || sender.send((after, Instant::now())).unwrap();
            watchdog.run_at(now + after * MILLISECOND, on_expiry)
        });
        (watches.collect(), expired)
    }

    #[test]
    fn each_deadline_expires_once_and_not_early() {
        let watchdog: &_ = Box::leak(Box::new(Watchdog::new()));
        let begun = Instant::now();
        let (_watches, expiries) = watch(watchdog, &[40, 10, 30, 10, 0]);
        watchdog.start().unwrap();
        let expired = (0..5).map(|_| {
            let (after, at) = expiries.recv_timeout(RECEIVE_TIMEOUT).unwrap();
            assert!(at - begun >= after * MILLISECOND);
            after
        });
        let mut expired: Vec<_> = expired.collect();
        expired.sort_unstable();
        assert_eq!(expired, [0, 10, 10, 30, 40]);
        assert_eq!(expiries.recv(), Err(RecvError));
    }

    #[tokio::test]
    async fn tasks_are_notified_in_the_order_of_their_deadlines() {
        let watchdog = watchdog();
        let tasks = [(); 3].map(|()| Arc::new(Notify::new()));
        let now = Instant::now();
        let watches = tasks
            .iter()
            .zip([30, 10, 20])
            .map(|(task, after)| watchdog.notify_at(now + after * MILLISECOND, Arc::clone(task)));
        let _watches: Vec<_> = watches.collect();
        for (task, after) in [(1, 10), (2, 20), (0, 30)] {
            tasks[task].notified().await;
            assert!(now.elapsed() >= after * MILLISECOND);
        }
    }

    #[test]
    fn a_blocking_callback_does_not_delay_other_deadlines() {
        let watchdog = watchdog();
        for blocked in [1, 2, 16] {
            let (release, blocks) = channel::<()>();
            let blocks = Arc::new(Mutex::new(blocks));
            let (begin, begun) = channel();
            let watches = (0..blocked).map(|_| {
                let (blocks, begin) = (Arc::clone(&blocks), begin.clone());
                watchdog.run_at(Instant::now(), move || {
                    begin.send(()).unwrap();
                    let _ = blocks.lock().recv();
                })
            });
            let _watches: Vec<_> = watches.collect();
            (0..blocked).for_each(|_| begun.recv_timeout(RECEIVE_TIMEOUT).unwrap());
            let (_other, expiries) = watch(watchdog, &[10]);
            assert_eq!(expiries.recv_timeout(RECEIVE_TIMEOUT).unwrap().0, 10);
            drop(release);
        }
    }

    #[test]
    fn a_watch_dropped_in_time_does_not_expire() {
        let watchdog = watchdog();
        let (watches, expiries) = watch(watchdog, &[20]);
        drop(watches);
        assert_eq!(expiries.recv(), Err(RecvError));
        assert!(watchdog.state.lock().deadlines.is_empty());
    }

    #[test]
    fn an_earlier_deadline_wakes_the_thread() {
        let watchdog = watchdog();
        let (_late, never) = watch(watchdog, &[60_000]);
        let (_early, expiries) = watch(watchdog, &[20]);
        assert_eq!(expiries.recv_timeout(RECEIVE_TIMEOUT).unwrap().0, 20);
        assert!(never.try_recv().is_err());
    }

    #[test]
    fn a_panicking_callback_does_not_prevent_other_callbacks() {
        let watchdog = watchdog();
        let _bomb = watchdog.run_at(Instant::now(), || panic_any(Bomb));
        let (_watches, expiries) = watch(watchdog, &[10]);
        assert_eq!(expiries.recv_timeout(RECEIVE_TIMEOUT).unwrap().0, 10);
    }

    #[test]
    fn watches_dropped_in_time_wake_the_thread_once() {
        let watchdog = watchdog();
        let next_check = (0..1000).map(|_| {
            drop(watchdog.run_at(Instant::now() + RECEIVE_TIMEOUT, || {}));
            thread::yield_now();
            watchdog.state.lock().next_check
        });
        let mut next_check: Vec<_> = next_check.collect();
        next_check.dedup();
        assert!(next_check.iter().all(Option::is_some));
        // The first check, the one at the start of the thread, and the one after the first
        // deadline.
        assert!(next_check.len() <= 3, "{next_check:?}");
    }
}
