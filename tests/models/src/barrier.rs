//! A barrier that blocks functions until a test opens it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// The value of `milliseconds` that makes a function wait at the barrier.
const HELD: u32 = u32::MAX;

/// The number of waiting calls, and the number of times that the barrier was opened.
static WAITING: AtomicU32 = AtomicU32::new(0);
static OPENED: AtomicU32 = AtomicU32::new(0);

/// The interval at which waiting calls poll.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Returns the number of waiting calls. With `open`, releases them.
#[pytriton::model(name = "Gate", batching = false)]
fn gate(#[input(name = "open")] open: ArrayView1<bool>) -> Array1<u32> {
    let waiting = WAITING.load(Ordering::SeqCst);
    if open.iter().any(|open| *open) {
        OPENED.fetch_add(1, Ordering::SeqCst);
    }
    Array1::from_elem(1, waiting)
}

/// Sleeps for the milliseconds of the longest row, or waits at the barrier.
pub(crate) fn nap(milliseconds: ArrayView2<u32>) {
    let held = WaitingCall::of(milliseconds);
    if held.is_none() {
        thread::sleep(longest(milliseconds));
    }
    while held.as_ref().is_some_and(WaitingCall::waits) {
        thread::sleep(POLL_INTERVAL);
    }
}

/// Does the same without blocking the thread.
pub(crate) async fn rest(milliseconds: ArrayView2<'_, u32>) {
    let held = WaitingCall::of(milliseconds);
    if held.is_none() {
        tokio::time::sleep(longest(milliseconds)).await;
    }
    while held.as_ref().is_some_and(WaitingCall::waits) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn longest(milliseconds: ArrayView2<u32>) -> Duration {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    Duration::from_millis(longest.into())
}

/// A waiting call, with the number of earlier openings.
struct WaitingCall(u32);

impl WaitingCall {
    fn of(milliseconds: ArrayView2<u32>) -> Option<Self> {
        let held = milliseconds.iter().any(|&one| one == HELD);
        held.then(|| {
            let opened = OPENED.load(Ordering::SeqCst);
            WAITING.fetch_add(1, Ordering::SeqCst);
            Self(opened)
        })
    }

    fn waits(&self) -> bool {
        OPENED.load(Ordering::SeqCst) == self.0
    }
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}
