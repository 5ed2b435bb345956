//! A gate at which functions wait until a test opens it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Whoever is to take so many milliseconds waits at the gate in their place.
const HELD: u32 = u32::MAX;

/// How many wait at the gate, and how often it has been opened.
static WAITING: AtomicU32 = AtomicU32::new(0);
static OPENED: AtomicU32 = AtomicU32::new(0);

/// How often who waits looks at it.
const LOOK: Duration = Duration::from_millis(2);

/// Says how many wait at the gate; where it is opened they wait no longer.
#[pytriton::model(name = "Gate", batching = false)]
fn gate(#[input(name = "open")] open: ArrayView1<bool>) -> Array1<u32> {
    let waiting = WAITING.load(Ordering::SeqCst);
    if open.iter().any(|open| *open) {
        OPENED.fetch_add(1, Ordering::SeqCst);
    }
    Array1::from_elem(1, waiting)
}

/// Takes as many milliseconds as the longest row says, or waits at the gate.
pub(crate) fn nap(milliseconds: ArrayView2<u32>) {
    let held = Held::of(milliseconds);
    if held.is_none() {
        thread::sleep(longest(milliseconds));
    }
    while held.as_ref().is_some_and(Held::waits) {
        thread::sleep(LOOK);
    }
}

/// The same without holding the thread.
pub(crate) async fn rest(milliseconds: ArrayView2<'_, u32>) {
    let held = Held::of(milliseconds);
    if held.is_none() {
        tokio::time::sleep(longest(milliseconds)).await;
    }
    while held.as_ref().is_some_and(Held::waits) {
        tokio::time::sleep(LOOK).await;
    }
}

fn longest(milliseconds: ArrayView2<u32>) -> Duration {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    Duration::from_millis(longest.into())
}

/// Somebody who waits, and how often the gate had been opened before.
struct Held(u32);

impl Held {
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

impl Drop for Held {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::SeqCst);
    }
}
