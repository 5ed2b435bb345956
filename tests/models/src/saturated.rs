//! Instances with two batches in flight, and the requests that wait for them.

use std::sync::atomic::{AtomicU64, Ordering};

use pytriton::prelude::*;

use crate::barrier::{nap, rest};

/// Takes the time of its longest row, and returns the number of rows.
#[pytriton::model(name = "GatherInFlight", max_batch_size = 8, batches_in_flight = 2)]
#[batch]
async fn gather(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    rest(milliseconds).await;
    Array2::from_elem((milliseconds.nrows(), 1), milliseconds.nrows() as u64)
}

/// The same on a blocking thread.
#[pytriton::model(name = "GatherByTurns", max_batch_size = 8, batches_in_flight = 2)]
#[batch]
fn gather_by_turns(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    nap(milliseconds);
    Array2::from_elem((milliseconds.nrows(), 1), milliseconds.nrows() as u64)
}

/// Returns the number of earlier calls.
#[pytriton::model(
    name = "UrgentInFlight",
    max_batch_size = 1,
    batches_in_flight = 2,
    priority_levels = 2,
    default_priority_level = 2,
    default_timeout_microseconds = 60_000_000,
    allow_timeout_override = true
)]
async fn urgent(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    rest(milliseconds).await;
    Array2::from_elem((1, 1), call)
}

/// The same on a blocking thread, with more requests that wait for it.
#[pytriton::model(name = "CountByTurns", max_batch_size = 1, batches_in_flight = 4)]
fn count_by_turns(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    nap(milliseconds);
    Array2::from_elem((1, 1), call)
}
