//! One model per batcher configuration. `tests/python/scenarios.py` lists which fields of the
//! configuration each covers.
//!
//! A function takes the given number of milliseconds. It returns the number of rows in the call,
//! and the value of the row, for sequences the sum of the values of the sequence.
//!
//! Requests arrive every 100 ms. Limits end halfway between two arrivals, so that none coincides
//! with an arrival.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// Takes as long as the slowest row, and returns the number of rows, once per row.
fn rows(milliseconds: ArrayView2<u32>) -> Array2<u32> {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    thread::sleep(Duration::from_millis(longest.into()));
    let rows = u32::try_from(milliseconds.nrows()).unwrap_or(u32::MAX);
    Array2::from_elem((milliseconds.nrows(), 1), rows)
}

macro_rules! batches {
    ($($function:ident($($option:tt)*);)*) => {
        $(
            #[pytriton::model($($option)*)]
            #[batch]
            fn $function(
                #[input(shape = [1])] milliseconds: ArrayView2<u32>,
                #[input(shape = [1])] value: ArrayView2<u32>,
            ) -> (Array2<u32>, Array2<u32>) {
                (rows(milliseconds), value.to_owned())
            }
        )*
    };
}

macro_rules! sequences {
    ($($function:ident($($option:tt)*);)*) => {
        $(
            #[pytriton::model($($option)*)]
            #[batch]
            fn $function(
                #[sequence] sums: &mut [&mut u32],
                #[input(shape = [1])] milliseconds: ArrayView2<u32>,
                #[input(shape = [1])] mut value: Array2<u32>,
            ) -> (Array2<u32>, Array2<u32>) {
                for (sum, value) in sums.iter_mut().zip(&mut value) {
                    **sum += *value;
                    *value = **sum;
                }
                (rows(milliseconds), value)
            }
        )*
    };
}

batches! {
    plain(name = "Plain", max_batch_size = 8);
    single(name = "Single", max_batch_size = 8, dynamic_batching = false);
    singles(name = "Singles", max_batch_size = 8, dynamic_batching = false, instances = 3);
    delayed(name = "Delayed", max_batch_size = 8, max_queue_delay_microseconds = 550_000);
    preferred(name = "Preferred", max_batch_size = 8, preferred_batch_size = [2, 6]);
    both(
        name = "Both",
        max_batch_size = 8,
        preferred_batch_size = [2, 6],
        max_queue_delay_microseconds = 750_000
    );
    pair(
        name = "Pair",
        max_batch_size = 8,
        instances = 2,
        preferred_batch_size = [4],
        max_queue_delay_microseconds = 550_000
    );
    ordered(name = "Ordered", max_batch_size = 8, instances = 2, preserve_ordering = true);
    ordered_pair(
        name = "OrderedPair",
        max_batch_size = 8,
        instances = 2,
        preserve_ordering = true,
        preferred_batch_size = [2, 4],
        max_queue_delay_microseconds = 350_000
    );
    bounded(name = "Bounded", max_batch_size = 4, max_queue_size = 2);
    refused(
        name = "Refused",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 950_000,
        default_timeout_microseconds = 350_000
    );
    late(
        name = "Late",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 950_000,
        default_timeout_microseconds = 350_000,
        timeout_action = "delay"
    );
    override_refused(
        name = "OverrideRefused",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 950_000,
        default_timeout_microseconds = 750_000,
        allow_timeout_override = true
    );
    override_late(
        name = "OverrideLate",
        max_batch_size = 8,
        preferred_batch_size = [4, 8],
        max_queue_delay_microseconds = 950_000,
        default_timeout_microseconds = 750_000,
        timeout_action = "delay",
        allow_timeout_override = true
    );
    urgent(
        name = "Urgent",
        max_batch_size = 4,
        preferred_batch_size = [2, 4],
        max_queue_delay_microseconds = 650_000,
        priority_levels = 3,
        default_priority_level = 2
    );
    levels(
        name = "Levels",
        max_batch_size = 4,
        preferred_batch_size = [4],
        max_queue_delay_microseconds = 850_000,
        priority_levels = 4,
        default_priority_level = 2,
        max_queue_size = 3,
        priority_queue_policy(level = 1, max_queue_size = 1),
        priority_queue_policy(level = 3, default_timeout_microseconds = 450_000),
        priority_queue_policy(
            level = 4,
            default_timeout_microseconds = 750_000,
            timeout_action = "delay",
            allow_timeout_override = true
        )
    );
}

/// A function without a batch axis.
#[pytriton::model(name = "Unbatched", batching = false)]
fn unbatched(
    #[input(shape = [1])] milliseconds: ArrayView1<u32>,
    #[input(shape = [1])] value: ArrayView1<u32>,
) -> (Array1<u32>, Array1<u32>) {
    let rows = rows(milliseconds.insert_axis(Axis(0)));
    (rows.remove_axis(Axis(0)), value.to_owned())
}

/// A function of one request. With one instance, requests wait for each other in tritonserver: see
/// `docs/differences.md`.
#[pytriton::model(name = "Each", max_batch_size = 8, instances = 2)]
fn each(
    #[input(shape = [1])] milliseconds: ArrayView2<u32>,
    #[input(shape = [1])] value: ArrayView2<u32>,
) -> (Array2<u32>, Array2<u32>) {
    (rows(milliseconds), value.to_owned())
}

// A pause of some arrivals is as long as the default idle time, give or take a millisecond.
sequences! {
    direct(
        name = "Direct",
        max_batch_size = 3,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 10_000_000
    );
    direct_single(
        name = "DirectSingle",
        max_batch_size = 1,
        instances = 2,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 10_000_000
    );
    direct_pair(
        name = "DirectPair",
        max_batch_size = 2,
        instances = 2,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 10_000_000
    );
    direct_delayed(
        name = "DirectDelayed",
        max_batch_size = 4,
        sequence_batching = direct,
        max_queue_delay_microseconds = 350_000,
        minimum_slot_utilization = 0.5,
        max_sequence_idle_microseconds = 10_000_000
    );
    direct_full(
        name = "DirectFull",
        max_batch_size = 3,
        sequence_batching = direct,
        max_queue_delay_microseconds = 550_000,
        minimum_slot_utilization = 1.0,
        max_sequence_idle_microseconds = 10_000_000
    );
    direct_idle(
        name = "DirectIdle",
        max_batch_size = 2,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 450_000
    );
    oldest(
        name = "Oldest",
        max_batch_size = 4,
        sequence_batching = oldest,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest_single(
        name = "OldestSingle",
        max_batch_size = 1,
        instances = 2,
        sequence_batching = oldest,
        max_candidate_sequences = 1,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest_pair(
        name = "OldestPair",
        max_batch_size = 4,
        instances = 2,
        sequence_batching = oldest,
        max_candidate_sequences = 2,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest_preferred(
        name = "OldestPreferred",
        max_batch_size = 4,
        sequence_batching = oldest,
        max_candidate_sequences = 6,
        preferred_batch_size = [2, 4],
        max_queue_delay_microseconds = 350_000,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest_ordered(
        name = "OldestOrdered",
        max_batch_size = 4,
        sequence_batching = oldest,
        preserve_ordering = true,
        preferred_batch_size = [3],
        max_queue_delay_microseconds = 550_000,
        max_sequence_idle_microseconds = 10_000_000
    );
    oldest_idle(
        name = "OldestIdle",
        max_batch_size = 4,
        sequence_batching = oldest,
        max_candidate_sequences = 2,
        max_sequence_idle_microseconds = 450_000
    );
    // Slots for sequences that share a stream.
    shared_direct_1(
        name = "SharedDirect1",
        max_batch_size = 1,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 5_000_000
    );
    shared_direct_4(
        name = "SharedDirect4",
        max_batch_size = 4,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 5_000_000
    );
    shared_direct_8(
        name = "SharedDirect8",
        max_batch_size = 8,
        sequence_batching = direct,
        max_sequence_idle_microseconds = 5_000_000
    );
    shared_oldest_1(
        name = "SharedOldest1",
        max_batch_size = 1,
        sequence_batching = oldest,
        max_candidate_sequences = 1,
        max_sequence_idle_microseconds = 5_000_000
    );
    shared_oldest_4(
        name = "SharedOldest4",
        max_batch_size = 4,
        sequence_batching = oldest,
        max_candidate_sequences = 4,
        max_sequence_idle_microseconds = 5_000_000
    );
    shared_oldest_8(
        name = "SharedOldest8",
        max_batch_size = 8,
        sequence_batching = oldest,
        max_candidate_sequences = 8,
        max_sequence_idle_microseconds = 5_000_000
    );
}

pytriton::main!();
