//! Models with a response cache.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// The rows, and the number of calls of all functions in this file so far.
type Counted = Result<(Array2<f32>, Array2<u64>), String>;

#[pytriton::model(name = "Cached", max_batch_size = 16, response_cache = true)]
#[batch]
fn cached(x: ArrayView2<f32>) -> Counted {
    counted(&x)
}

#[pytriton::model(
    name = "CachedAlone",
    max_batch_size = 16,
    dynamic_batching = false,
    response_cache = true
)]
fn cached_alone(x: ArrayView2<f32>) -> Counted {
    counted(&x)
}

#[pytriton::model(
    name = "CachedInFlight",
    max_batch_size = 16,
    batches_in_flight = 4,
    response_cache = true
)]
#[batch]
async fn cached_in_flight(x: ArrayView2<f32>) -> Counted {
    counted(&x)
}

/// One request per level may wait, for a short time.
#[pytriton::model(
    name = "CachedQueue",
    max_batch_size = 1,
    max_queue_size = 1,
    default_timeout_microseconds = 1_000_000,
    priority_levels = 2,
    response_cache = true
)]
fn cached_queue(x: ArrayView2<f32>) -> Counted {
    counted(&x)
}

/// Two optional inputs; a request has one or both.
#[pytriton::model(name = "CachedEither", max_batch_size = 16, response_cache = true)]
fn cached_either(a: Option<ArrayView2<f32>>, b: Option<ArrayView2<f32>>) -> Counted {
    let x = a.or(b).ok_or("neither `a` nor `b`")?;
    counted(&x)
}

/// A first value of -1 is an error, and -2 a panic. A positive value is a delay in milliseconds.
fn counted(x: &ArrayView2<f32>) -> Counted {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    match x.first() {
        Some(-1.0) => return Err(format!("call {call} was asked to fail")),
        Some(-2.0) => panic!("call {call} was asked to panic"),
        Some(&wait) => thread::sleep(Duration::from_secs_f32(wait.max(0.0) / 1000.0)),
        None => {}
    }
    Ok((x.to_owned(), Array2::from_elem((x.nrows(), 1), call)))
}
