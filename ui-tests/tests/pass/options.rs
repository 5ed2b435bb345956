#![deny(warnings)]
use std::time::Duration;

use pytriton::prelude::*;
use pytriton_runtime::model::{
    Batcher, BatcherOptions, SequenceScheduling, TimeoutAction, VersionPolicy,
};
use pytriton_ui_tests::spec;

#[pytriton::model(
    name = "All.options-1_0",
    version = 3,
    max_batch_size = 16,
    batching = true,
    instances = 2,
    batches_in_flight = 4,
    max_call_microseconds = 18_446_744_073_709_551_615,
    dynamic_batching = true,
    preferred_batch_size = [4, 8],
    max_queue_delay_microseconds = 100,
    max_queue_size = 64,
    default_timeout_microseconds = 1_000,
    timeout_action = "delay",
    allow_timeout_override = true,
)]
fn all(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(
    name = "Ordered",
    preserve_ordering = true,
    default_timeout_microseconds = 1_000,
    timeout_action = "reject"
)]
fn ordered(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Alone", dynamic_batching = false, response_cache = true)]
fn alone(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(
    name = "Direct",
    sequence_batching = direct,
    max_sequence_idle_microseconds = 5_000_000,
    max_queue_delay_microseconds = 100,
    minimum_slot_utilization = 0.25,
    response_cache = false,
    batches_in_flight = 1
)]
fn direct(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

const SEQUENCES: u32 = 9;

#[pytriton::model(
    name = "Oldest",
    sequence_batching = oldest,
    max_candidate_sequences = SEQUENCES,
    preferred_batch_size = [2, 3],
    max_queue_delay_microseconds = 200,
    preserve_ordering = true
)]
fn oldest(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "OldestOne", sequence_batching = oldest, batching = false)]
fn one(x: ArrayView1<f32>) -> Array1<f32> {
    x.to_owned()
}

const SERVED: &[u32] = &[1, VERSION];
const VERSION: u32 = 2;

#[pytriton::model(name = "Versions", version_policy = specific(SERVED))]
fn first(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Latest", version = VERSION, version_policy = latest(VERSION))]
fn second(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Listed", version_policy = specific([3, 1]))]
fn listed(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Every", version_policy = all)]
fn every(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn versions() {
    let table = [
        ("Versions", Some(VersionPolicy::Specific(vec![1, 2]))),
        ("Latest", Some(VersionPolicy::Latest(2))),
        ("Listed", Some(VersionPolicy::Specific(vec![3, 1]))),
        ("Every", Some(VersionPolicy::All)),
        ("Alone", None),
    ];
    for (name, policy) in table {
        assert_eq!(spec(name).version_policy, policy, "{name}");
    }
}

pub(crate) fn main() {
    versions();
    let spec = spec("All.options-1_0");
    assert_eq!(
        (spec.version, spec.max_batch_size, spec.instances.count()),
        (3, 16, 2)
    );
    assert_eq!(spec.call_options.batches_in_flight, 4);
    assert_eq!(
        spec.call_options.call_limit(),
        Some(Duration::from_micros(u64::MAX))
    );
    let batching = spec.batcher.unwrap();
    assert_eq!(batching.preferred_batch_size, [4, 8]);
    assert_eq!(batching.options.max_queue_delay_microseconds, 100);
    assert!(!batching.options.preserve_ordering);
    assert!(
        pytriton_ui_tests::spec("Ordered")
            .batcher
            .unwrap()
            .options
            .preserve_ordering
    );
    let policy = batching.queue_policy;
    assert_eq!(
        (policy.max_queue_size, policy.default_timeout_microseconds),
        (64, 1000)
    );
    assert_eq!(policy.timeout_action, TimeoutAction::Delay);
    assert!(policy.allow_timeout_override);
    assert!(!spec.call_options.response_cache);
    let alone = pytriton_ui_tests::spec("Alone");
    assert_eq!(alone.call_options.call_limit(), None);
    assert!(alone.batcher.is_none());
    assert!(alone.call_options.response_cache);
    sequences();
}

fn sequences() {
    let expected = |strategy, options, preferred: &[u32]| {
        let mut batcher = Batcher::DYNAMIC;
        batcher.sequences = Some(strategy);
        batcher.options = options;
        batcher.preferred_batch_size = preferred.to_vec();
        batcher
    };
    let direct = BatcherOptions::DEFAULT
        .max_sequence_idle(Duration::from_micros(5_000_000))
        .max_queue_delay(Duration::from_micros(100))
        .minimum_slot_utilization(0.25)
        .max_candidate_sequences(4);
    let oldest = BatcherOptions::DEFAULT
        .max_candidate_sequences(9)
        .max_queue_delay(Duration::from_micros(200))
        .preserve_ordering(true);
    let one = BatcherOptions::DEFAULT.max_candidate_sequences(1);
    let table = [
        ("Direct", expected(SequenceScheduling::Direct, direct, &[])),
        (
            "Oldest",
            expected(SequenceScheduling::Oldest, oldest, &[2, 3]),
        ),
        ("OldestOne", expected(SequenceScheduling::Oldest, one, &[])),
    ];
    for (name, batcher) in table {
        assert_eq!(spec(name).batcher, Some(batcher), "{name}");
    }
}
