//! Queues with several priority levels.

use std::sync::atomic::{AtomicU64, Ordering};

use pytriton::prelude::*;

use crate::barrier::nap;

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Takes the given number of milliseconds, and returns the number of earlier calls.
#[pytriton::model(
    name = "Urgent",
    max_batch_size = 1,
    priority_levels = 3,
    default_priority_level = 2,
    priority_queue_policy(level = 1, default_timeout_microseconds = 60_000_000),
    priority_queue_policy(level = 3, max_queue_size = 2)
)]
fn urgent(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    nap(milliseconds);
    Array2::from_elem((1, 1), call)
}

/// Returns the position of each row in its batch. A request that exceeds its timeout is delayed on
/// the first level and refused on the second.
#[pytriton::model(
    name = "Late",
    max_batch_size = 8,
    priority_levels = 3,
    priority_queue_policy(
        level = 1,
        default_timeout_microseconds = 60_000_000,
        timeout_action = "delay",
        allow_timeout_override = true
    ),
    priority_queue_policy(
        level = 2,
        default_timeout_microseconds = 60_000_000,
        allow_timeout_override = true
    )
)]
#[batch]
fn late(milliseconds: ArrayView2<u32>) -> Array2<u64> {
    nap(milliseconds);
    Array2::from_shape_fn((milliseconds.nrows(), 1), |(row, _)| row as u64)
}
