//! Instances with several batches in flight. Each output is the number of concurrent calls,
//! including its own.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// The numbers of concurrent calls.
static SIDE_BY_SIDE: AtomicU32 = AtomicU32::new(0);
static ALONE: AtomicU32 = AtomicU32::new(0);
static BY_TURNS: AtomicU32 = AtomicU32::new(0);
static BOTH: AtomicU32 = AtomicU32::new(0);

#[pytriton::model(name = "SideBySide", max_batch_size = 1, batches_in_flight = 4)]
async fn side_by_side(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(&SIDE_BY_SIDE, milliseconds).await
}

/// An `async` function without further options.
#[pytriton::model(name = "Alone", max_batch_size = 1)]
async fn alone(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(&ALONE, milliseconds).await
}

#[pytriton::model(name = "ByTurns", max_batch_size = 1, batches_in_flight = 4)]
fn by_turns(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    blocking_nap(&BY_TURNS, milliseconds)
}

#[pytriton::model(
    name = "Both",
    max_batch_size = 1,
    instances = 2,
    batches_in_flight = 2
)]
fn both(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    blocking_nap(&BOTH, milliseconds)
}

/// Requests that could be batched but are not. Fails for 13 milliseconds, panics for 66.
#[pytriton::model(name = "Concurrent", max_batch_size = 16, batches_in_flight = 4)]
async fn concurrent(milliseconds: ArrayView2<u32>) -> Result<Array2<u32>, String> {
    let longest = longest(milliseconds);
    rest(longest).await;
    assert_ne!(longest, 66, "asked to panic");
    match longest {
        13 => Err("asked to fail".to_owned()),
        _ => Ok(milliseconds.to_owned()),
    }
}

#[pytriton::model(
    name = "ConcurrentDelayed",
    max_batch_size = 16,
    batches_in_flight = 4,
    max_queue_delay_microseconds = 400_000
)]
async fn concurrent_delayed(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    rest(longest(milliseconds)).await;
    milliseconds.to_owned()
}

#[pytriton::model(name = "ConcurrentOnTwo", max_batch_size = 16, instances = 2)]
fn concurrent_on_two(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    thread::sleep(Duration::from_millis(longest(milliseconds).into()));
    milliseconds.to_owned()
}

#[pytriton::model(
    name = "OrderedSideBySide",
    max_batch_size = 1,
    batches_in_flight = 2,
    preserve_ordering = true
)]
async fn ordered_side_by_side(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    rest(longest(milliseconds)).await;
    milliseconds.to_owned()
}

/// Returns its input after a delay.
#[pytriton::model(name = "Ferry", max_batch_size = 4, batches_in_flight = 4)]
#[batch]
async fn ferry(x: ArrayView2<f32>) -> Array2<f32> {
    rest(20).await;
    x.to_owned()
}

/// Computes after an asynchronous wait.
#[pytriton::model(
    name = "Computing",
    max_batch_size = 1,
    instances = 2,
    batches_in_flight = 2
)]
async fn computing(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    rest(20).await;
    thread::sleep(Duration::from_millis(longest(milliseconds).into()));
    milliseconds.to_owned()
}

struct Counter {
    /// Belongs to one instance and is shared by its calls.
    calls: std::cell::Cell<u32>,
}

#[pytriton::model(name = "SharedState", max_batch_size = 1, batches_in_flight = 4)]
impl Counter {
    #[load]
    fn load() -> Self {
        Self {
            calls: std::cell::Cell::new(0),
        }
    }

    /// Fails for 13 milliseconds, panics for 66.
    #[infer]
    async fn call(&self, milliseconds: ArrayView2<u32>) -> Result<Array2<u32>, String> {
        self.calls.set(self.calls.get() + 1);
        let longest = longest(milliseconds);
        rest(longest).await;
        assert_ne!(longest, 66, "asked to panic");
        match longest {
            13 => Err("asked to fail".to_owned()),
            _ => Ok(Array2::from_elem((1, 1), self.calls.get())),
        }
    }
}

async fn nap(under_way: &AtomicU32, milliseconds: ArrayView2<'_, u32>) -> Array2<u32> {
    let calls = under_way.fetch_add(1, Ordering::Relaxed) + 1;
    rest(longest(milliseconds)).await;
    under_way.fetch_sub(1, Ordering::Relaxed);
    Array2::from_elem((1, 1), calls)
}

fn blocking_nap(under_way: &AtomicU32, milliseconds: ArrayView2<u32>) -> Array2<u32> {
    let calls = under_way.fetch_add(1, Ordering::Relaxed) + 1;
    thread::sleep(Duration::from_millis(longest(milliseconds).into()));
    under_way.fetch_sub(1, Ordering::Relaxed);
    Array2::from_elem((1, 1), calls)
}

async fn rest(milliseconds: u32) {
    tokio::time::sleep(Duration::from_millis(milliseconds.into())).await;
}

fn longest(milliseconds: ArrayView2<u32>) -> u32 {
    milliseconds.iter().copied().max().unwrap_or_default()
}
