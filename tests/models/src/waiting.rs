//! Functions that take the given number of milliseconds, behind all kinds of queues.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

#[pytriton::model(name = "Slow", max_batch_size = 1)]
fn slow(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

/// Records its requests.
#[pytriton::model(name = "Ledger", max_batch_size = 16)]
#[batch]
fn ledger(x: ArrayView2<u32>) -> Array2<u32> {
    thread::sleep(Duration::from_millis(5));
    let lines: String = x
        .iter()
        .map(|number| format!("executed {number}\n"))
        .collect();
    eprint!("{lines}");
    x.to_owned()
}

#[pytriton::model(name = "TinyQueue", max_batch_size = 1, max_queue_size = 1)]
fn tiny_queue(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

/// A queue of four batches.
#[pytriton::model(name = "Crowded", max_batch_size = 16, max_queue_size = 64)]
#[batch]
fn crowded(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

#[pytriton::model(
    name = "Impatient",
    max_batch_size = 1,
    default_timeout_microseconds = 300_000,
    allow_timeout_override = true
)]
fn impatient(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

#[pytriton::model(
    name = "Ordered",
    max_batch_size = 1,
    instances = 2,
    preserve_ordering = true
)]
fn ordered(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

#[pytriton::model(name = "Unordered", max_batch_size = 1, instances = 2)]
fn unordered(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

fn nap(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    thread::sleep(Duration::from_millis(longest.into()));
    milliseconds.to_owned()
}
