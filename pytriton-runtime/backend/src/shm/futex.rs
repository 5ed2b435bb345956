use std::ptr;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use super::sys;
use crate::ring::Sleep;

/// Sleeps on words of shared memory, across processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Futex;

impl Sleep for Futex {
    fn sleep(&self, word: &AtomicU32, seen: u32, at_most: Option<Duration>) {
        let timeout = at_most.map(|at_most| sys::Timespec {
            seconds: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
            nanoseconds: i64::from(at_most.subsec_nanos()),
        });
        let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY:
        // - `word` is valid and aligned during the call; the kernel only reads it.
        // - `timeout` is null or has the layout of `struct timespec`, and outlives the call.
        //   Whatever the call returns, the caller checks the word again.
        unsafe {
            sys::syscall(
                sys::SYS_FUTEX,
                word.as_ptr(),
                sys::FUTEX_WAIT,
                seen,
                timeout,
                ptr::null::<u32>(),
                0_u32,
            )
        };
    }

    fn wake(&self, word: &AtomicU32) {
        // SAFETY: the kernel uses the address of the word to find the sleepers, and does not access
        // the word.
        unsafe {
            sys::syscall(
                sys::SYS_FUTEX,
                word.as_ptr(),
                sys::FUTEX_WAKE,
                i32::MAX,
                ptr::null::<sys::Timespec>(),
                ptr::null::<u32>(),
                0_u32,
            )
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::sync::{Arc, mpsc};
    use std::thread;

    use super::*;

    /// Long enough that no sleeper wakes by itself.
    const SLEEP_TIMEOUT: Option<Duration> = Some(Duration::from_secs(3600));

    #[test]
    fn every_change_wakes_the_sleeper() {
        let word = Arc::new(AtomicU32::new(0));
        let (done, both) = mpsc::channel();
        for own in [0, 1] {
            let (word, done) = (Arc::clone(&word), done.clone());
            thread::spawn(move || {
                for _ in 0..20_000 {
                    while word.load(Ordering::Acquire) != own {
                        Futex.sleep(&word, 1 - own, SLEEP_TIMEOUT);
                    }
                    word.store(1 - own, Ordering::Release);
                    Futex.wake(&word);
                }
                done.send(())
            });
        }
        for _ in 0..2 {
            both.recv_timeout(Duration::from_secs(30)).unwrap();
        }
    }
}
