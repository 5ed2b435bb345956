//! Functions that take the given number of milliseconds, with a limit of 500.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

#[pytriton::model(name = "Limited", max_batch_size = 1, max_call_microseconds = 500_000)]
fn limited(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

#[pytriton::model(
    name = "LimitedPair",
    max_batch_size = 1,
    instances = 2,
    max_call_microseconds = 500_000
)]
fn limited_pair(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

/// One call per request in a batch of four.
#[pytriton::model(
    name = "LimitedEach",
    max_batch_size = 4,
    max_queue_delay_microseconds = 2_000_000,
    max_call_microseconds = 500_000
)]
fn limited_each(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    nap(milliseconds)
}

#[pytriton::model(
    name = "LimitedAsync",
    max_batch_size = 1,
    batches_in_flight = 4,
    max_call_microseconds = 500_000
)]
async fn limited_async(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    tokio::time::sleep(longest(milliseconds)).await;
    milliseconds.to_owned()
}

fn nap(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    thread::sleep(longest(milliseconds));
    milliseconds.to_owned()
}

fn longest(milliseconds: ArrayView2<u32>) -> Duration {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    Duration::from_millis(longest.into())
}
