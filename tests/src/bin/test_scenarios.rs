//! One model per batcher configuration. Its function takes the given number of milliseconds, and
//! returns the number of rows in the call.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Returns the number of rows of the call, once per row. A call takes the time of its slowest row.
fn rows(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    thread::sleep(Duration::from_millis(longest.into()));
    let rows = u32::try_from(milliseconds.nrows()).unwrap_or(u32::MAX);
    Array2::from_elem((milliseconds.nrows(), 1), rows)
}

macro_rules! scenarios {
    ($($function:ident($($option:tt)*);)*) => {
        $(
            #[pytriton::model($($option)*)]
            #[batch]
            fn $function(#[input(shape = [1])] milliseconds: ArrayView2<u32>) -> Array2<u32> {
                rows(milliseconds)
            }
        )*
    };
}

scenarios! {
    plain(name = "Plain", max_batch_size = 8);
    delayed(name = "Delayed", max_batch_size = 8, max_queue_delay_microseconds = 500_000);
    preferred(name = "Preferred", max_batch_size = 8, preferred_batch_size = [2, 6]);
    both(
        name = "Both",
        max_batch_size = 8,
        preferred_batch_size = [2, 6],
        max_queue_delay_microseconds = 700_000
    );
    pair(
        name = "Pair",
        max_batch_size = 8,
        instances = 2,
        preferred_batch_size = [4],
        max_queue_delay_microseconds = 500_000
    );
    ordered(name = "Ordered", max_batch_size = 8, instances = 2, preserve_ordering = true);
    bounded(name = "Bounded", max_batch_size = 4, max_queue_size = 2);
    refused(
        name = "Refused",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 900_000,
        default_timeout_microseconds = 350_000
    );
    late(
        name = "Late",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 900_000,
        default_timeout_microseconds = 350_000,
        timeout_action = "delay"
    );
    urgent(
        name = "Urgent",
        max_batch_size = 4,
        preferred_batch_size = [2, 4],
        max_queue_delay_microseconds = 600_000,
        priority_levels = 3,
        default_priority_level = 2
    );
    // A pause of some arrivals is as long as the default idle time, give or take a millisecond.
    direct(
        name = "Direct",
        max_batch_size = 3,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest(
        name = "Oldest",
        max_batch_size = 4,
        sequence_batching = oldest,
        max_sequence_idle_microseconds = 10_000_000
    );
}

pytriton::main!();
