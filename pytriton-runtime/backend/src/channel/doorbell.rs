use std::time::Duration;

use crate::sync::{AtomicU32, Ordering};

/// How a thread sleeps until a word changes, and is woken.
pub trait Sleep {
    /// Sleeps while the word holds `seen`, until it is woken or the time has passed; may return early.
    fn sleep(&self, word: &AtomicU32, seen: u32, at_most: Duration);

    /// Wakes all that sleep on the word.
    fn wake(&self, word: &AtomicU32);
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The door's: there is no batch, or it has been answered.
    Answered,
    /// The desk's: there is a batch.
    Asked,
}

/// The turn cannot come any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hangup;

/// The turns of two threads in two processes that share one word.
///
/// Bit 0 says whose turn it is, bit 1 that somebody sleeps and must be woken, bit 2 that no further batch is to be asked.
/// Only the side whose turn it is waits for nothing, so that at most one side sleeps.
#[derive(Debug)]
pub struct Doorbell<'a, S> {
    word: &'a AtomicU32,
    sleep: S,
}

const ASKED: u32 = 1;
const SLEEPING: u32 = 2;
const CLOSED: u32 = 4;

/// How long a thread sleeps before it looks whether the other process still lives.
const LOOK: Duration = Duration::from_millis(100);

impl<'a, S: Sleep> Doorbell<'a, S> {
    /// The doorbell on a word that was zero at first.
    pub fn new(word: &'a AtomicU32, sleep: S) -> Self {
        Self { word, sleep }
    }

    /// Ends the turn of the door: there is a batch.
    ///
    /// # Errors
    ///
    /// [`Hangup`] when the bell was closed; the batch will not be looked at.
    pub fn ask(&self) -> Result<(), Hangup> {
        let mut seen = self.word.load(Ordering::Relaxed);
        loop {
            if seen & CLOSED != 0 {
                return Err(Hangup);
            }
            // Release: the batch that was written before is seen by the `Acquire` load in `wait`.
            let asked =
                self.word
                    .compare_exchange_weak(seen, ASKED, Ordering::Release, Ordering::Relaxed);
            match asked {
                Ok(_) => break,
                Err(now) => seen = now,
            }
        }
        if seen & SLEEPING != 0 {
            self.sleep.wake(self.word);
        }
        Ok(())
    }

    /// Ends the turn of the desk: the batch has been answered.
    pub fn answer(&self) {
        // Release: pairs with the `Acquire` load in `wait`, as in `ask`. `CLOSED` stays.
        let before = self.word.fetch_and(!(ASKED | SLEEPING), Ordering::Release);
        if before & SLEEPING != 0 {
            self.sleep.wake(self.word);
        }
    }

    /// Says that no batch shall be asked any more; one that was asked is still answered.
    pub fn close(&self) {
        let before = self.word.fetch_or(CLOSED, Ordering::Release);
        if before & SLEEPING != 0 {
            self.sleep.wake(self.word);
        }
    }

    /// Waits until it is the turn of the side that calls.
    ///
    /// It sleeps at once: to look a while before was measured on two cores, and gained nothing that it did not cost the
    /// other threads.
    ///
    /// # Errors
    ///
    /// [`Hangup`] when `gone` says that the other process is, or for the desk when the bell was closed.
    pub fn wait(&self, turn: State, mut gone: impl FnMut() -> bool) -> Result<(), Hangup> {
        loop {
            let seen = self.word.load(Ordering::Acquire);
            if (seen & ASKED != 0) == (turn == State::Asked) {
                return Ok(());
            }
            if turn == State::Asked && seen & CLOSED != 0 {
                return Err(Hangup);
            }
            if seen & SLEEPING == 0 && !self.announce(seen) {
                continue;
            }
            self.sleep.sleep(self.word, seen | SLEEPING, LOOK);
            let still = self.word.load(Ordering::Relaxed) == seen | SLEEPING;
            if still && gone() {
                return Err(Hangup);
            }
        }
    }

    /// Says that somebody is about to sleep, unless the word has changed meanwhile.
    fn announce(&self, seen: u32) -> bool {
        let announced =
            self.word
                .compare_exchange(seen, seen | SLEEPING, Ordering::Relaxed, Ordering::Relaxed);
        announced.is_ok()
    }
}

#[cfg(test)]
#[cfg(loom)]
mod tests {
    use loom::sync::{Arc, Condvar, Mutex};
    use loom::thread;

    use super::*;
    use crate::sync::AtomicU64;

    /// A futex whose sleepers are only ever woken: a lost wake-up is a deadlock, which loom finds.
    #[derive(Debug, Default)]
    struct Bed {
        lock: Mutex<()>,
        woken: Condvar,
    }

    impl Sleep for &Bed {
        fn sleep(&self, word: &AtomicU32, seen: u32, _at_most: Duration) {
            let guard = self.lock.lock().unwrap();
            if word.load(Ordering::SeqCst) == seen {
                drop(self.woken.wait(guard).unwrap());
            }
        }

        fn wake(&self, _word: &AtomicU32) {
            drop(self.lock.lock().unwrap());
            self.woken.notify_all();
        }
    }

    /// The word and what one side writes for the other, which is no atomic of the protocol's.
    #[derive(Debug, Default)]
    struct Shared {
        word: AtomicU32,
        bed: Bed,
        batch: AtomicU64,
        answer: AtomicU64,
    }

    impl Shared {
        fn bell(&self) -> Doorbell<'_, &Bed> {
            Doorbell::new(&self.word, &self.bed)
        }

        /// Answers batch after batch until the bell is closed, and says how many there were.
        fn serve(&self) -> u64 {
            let mut served = 0;
            while self.bell().wait(State::Asked, || false).is_ok() {
                let batch = self.batch.load(Ordering::Relaxed);
                self.answer.store(batch + 10, Ordering::Relaxed);
                self.bell().answer();
                served += 1;
            }
            served
        }

        fn ask(&self, batch: u64) -> Result<u64, Hangup> {
            self.batch.store(batch, Ordering::Relaxed);
            self.bell().ask()?;
            self.bell().wait(State::Answered, || false)?;
            Ok(self.answer.load(Ordering::Relaxed))
        }
    }

    /// Looks at all interleavings with at most three preemptions; more take hours.
    fn model(test: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(test);
    }

    #[test]
    fn every_batch_is_answered_and_no_wake_up_is_lost() {
        model(|| {
            let shared = Arc::new(Shared::default());
            let desk = Arc::clone(&shared);
            let desk = thread::spawn(move || desk.serve());
            assert_eq!(shared.ask(1), Ok(11));
            assert_eq!(shared.ask(2), Ok(12));
            shared.bell().close();
            assert_eq!(desk.join().unwrap(), 2);
        });
    }

    #[test]
    fn closing_while_asking_either_answers_or_refuses() {
        model(|| {
            let shared = Arc::new(Shared::default());
            let desk = Arc::clone(&shared);
            let desk = thread::spawn(move || desk.serve());
            let closer = Arc::clone(&shared);
            let closer = thread::spawn(move || closer.bell().close());
            let asked = shared.ask(1);
            closer.join().unwrap();
            let served = desk.join().unwrap();
            match asked {
                Ok(answer) => assert_eq!((answer, served), (11, 1)),
                Err(Hangup) => assert_eq!(served, 0),
            }
        });
    }
}
