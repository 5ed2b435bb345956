use std::time::Duration;

use crate::model::SequenceScheduling::{Direct, Oldest};
use crate::model::{Batcher, BatcherOptions};

use super::super::Model;
use super::tests::{batch, flaws, model};

#[test]
fn options_configure_sequence_batching() {
    let oldest = model()
        .max_batch_size(5)
        .sequence_batching(Oldest)
        .max_sequence_idle(Duration::from_micros(7))
        .preferred_batch_size([2, 3])
        .max_queue_delay(Duration::from_micros(11))
        .preserve_ordering(true);
    let spec = oldest.registration(&batch()).unwrap().spec;
    let expected = Batcher {
        sequences: Some(Oldest),
        options: BatcherOptions {
            max_sequence_idle_microseconds: 7,
            max_candidate_sequences: 5,
            max_queue_delay_microseconds: 11,
            preserve_ordering: true,
            ..BatcherOptions::DEFAULT
        },
        preferred_batch_size: vec![2, 3],
        ..Batcher::DYNAMIC
    };
    assert_eq!(spec.sequence_batching(), Some(&expected));
    assert_eq!(spec.dynamic_batching(), None);
    let direct = model()
        .sequence_batching(Direct)
        .minimum_slot_utilization(0.5);
    let spec = direct.registration(&batch()).unwrap().spec;
    let batching = spec.sequence_batching().unwrap();
    assert_eq!(batching.sequences, Some(Direct));
    assert_eq!(batching.options.minimum_slot_utilization, 0.5);
}

#[test]
fn options_that_exclude_sequences_are_refused() {
    let no_queue =
        "this option belongs to dynamic batching, which sequence models do not use: remove it";
    let direct = || model().sequence_batching(Direct);
    let table: [(Model, &str, &str); 11] = [
        (
            model().max_candidate_sequences(2),
            "max_candidate_sequences",
            "this option needs sequences: write `sequence_batching = direct` too, or remove it",
        ),
        (
            direct().max_candidate_sequences(2),
            "max_candidate_sequences",
            "this option requires `sequence_batching = oldest`: change the strategy, or remove the option",
        ),
        (
            direct().minimum_slot_utilization(f32::NAN),
            "minimum_slot_utilization",
            "expected a number from 0.0 to 1.0",
        ),
        (
            direct().minimum_slot_utilization(-0.5),
            "minimum_slot_utilization",
            "expected a number from 0.0 to 1.0",
        ),
        (
            model()
                .sequence_batching(Oldest)
                .minimum_slot_utilization(0.5),
            "minimum_slot_utilization",
            "this option requires `sequence_batching = direct`: change the strategy, or remove the option",
        ),
        (
            direct().max_sequence_idle(Duration::from_micros(0)),
            "max_sequence_idle_microseconds",
            "expected at least 1 microsecond",
        ),
        (
            direct().dynamic_batching(false),
            "dynamic_batching",
            no_queue,
        ),
        (direct().max_queue_size(9), "max_queue_size", no_queue),
        (direct().priority_levels(2), "priority_levels", no_queue),
        (
            direct().response_cache(true),
            "response_cache",
            "`response_cache = true` returns the same response for the same inputs and ignores sequences: remove it",
        ),
        (
            direct().batches_in_flight(2),
            "batches_in_flight",
            "an instance runs the batches of its sequences one at a time: remove this option",
        ),
    ];
    for (model, option, help) in table {
        assert_eq!(flaws(model, batch()), [format!("`{option}`: {help}")]);
    }
}
