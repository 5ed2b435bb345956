use std::time::Duration;

use crate::sync::{AtomicBool, AtomicU32, Ordering};

/// How a thread sleeps on a word and is woken.
pub trait Sleep {
    /// Sleeps while the word holds `seen`, until it is woken or the time has passed. May return
    /// early.
    fn sleep(&self, word: &AtomicU32, seen: u32, at_most: Option<Duration>);

    /// Wakes all sleepers on the word.
    fn wake(&self, word: &AtomicU32);
}

/// The peer process is gone, or this one has ended the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed;

/// A word that records whether a thread is asleep, shared with the threads that wake it.
///
/// Every change of the word is a read-modify-write operation. So either the waker's comes second
/// and finds the sleeper, or the sleeper's comes second and sees everything that the waker did
/// before.
#[derive(Debug)]
pub struct Sleeper<'a, S> {
    word: &'a AtomicU32,
    sleep: S,
}

const AWAKE: u32 = 0;
const ASLEEP: u32 = 1;

impl<'a, S: Sleep> Sleeper<'a, S> {
    /// Creates a sleeper on a word that was initially zero.
    pub fn new(word: &'a AtomicU32, sleep: S) -> Self {
        Self { word, sleep }
    }

    /// Sleeps until `ready`, a close, or the end of the time. Returns immediately if one of them
    /// holds already.
    ///
    /// # Errors
    ///
    /// Returns [`Closed`] if `closed` is set and nothing is ready.
    pub fn wait(
        &self,
        closed: &AtomicBool,
        at_most: Option<Duration>,
        ready: impl FnOnce() -> bool,
    ) -> Result<(), Closed> {
        // Acquire: pairs with the release in `wake`.
        self.word.swap(ASLEEP, Ordering::AcqRel);
        // In this order: a message sent before the close is seen if the close is seen.
        let ended = closed.load(Ordering::Acquire);
        let ready = ready();
        if !ready && !ended {
            self.sleep.sleep(self.word, ASLEEP, at_most);
        }
        self.word.swap(AWAKE, Ordering::AcqRel);
        if !ready && ended {
            return Err(Closed);
        }
        Ok(())
    }

    /// Wakes the sleeper, if any, after a change of the state that it waits for.
    pub fn wake(&self) {
        // Release: pairs with the acquire in `wait`.
        if self.word.swap(AWAKE, Ordering::AcqRel) == ASLEEP {
            self.sleep.wake(self.word);
        }
    }
}
