//! Batches of requests that can be stacked, and of others.

use pytriton_core::model::{CallMode, QueuePolicy};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};

use super::bench::{AT_ONCE, MODEL, Takers, TestRequest, ask, happens, one};

/// Waits up to ten milliseconds for eight rows.
const PATIENT: ModelDeclaration = delayed(&[]);

const fn delayed(preferred_batch_size: &'static [u32]) -> ModelDeclaration {
    ModelDeclaration {
        options: ModelOptions {
            dynamic_batching: true,
            preferred_batch_size,
            max_queue_delay_microseconds: 10_000,
            preserve_ordering: false,
            queue_policy: QueuePolicy::DEFAULT,
            ..MODEL.options
        },
        ..MODEL
    }
}

type Row<'a> = (&'a str, Takers, &'a [TestRequest], &'a [&'a str]);

async fn check(model: &ModelDeclaration, table: &[Row<'_>]) {
    for (what, served, asked, expected) in table {
        assert_eq!(
            happens(model, *served, asked, None).await,
            *expected,
            "{what}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_delay_a_batch_takes_waiting_requests_up_to_one_that_cannot_be_stacked() {
    let table: &[Row<'_>] = &[
        ("one", one(20), &[ask(0, 1)], &["0: 1"]),
        (
            "requests arrive during a call",
            one(20),
            &[ask(0, 1), ask(5, 2), ask(6, 3), ask(19, 4)],
            &["0: 1", "20: 2 3 4"],
        ),
        (
            "another shape at the front, in the middle and at the end",
            one(20),
            &[
                ask(0, 1),
                ask(1, 2).columns(2),
                ask(2, 3),
                ask(3, 4),
                ask(4, 5).columns(2),
                ask(5, 6),
                ask(6, 7).columns(2),
            ],
            &["0: 1", "20: 2", "40: 3 4", "60: 5", "80: 6", "100: 7"],
        ),
        (
            "an optional input that some requests omit",
            one(20),
            &[
                ask(0, 1),
                ask(1, 2),
                ask(2, 3).second(),
                ask(3, 4).second(),
                ask(4, 5),
            ],
            &["0: 1", "20: 2", "40: 3 4", "60: 5"],
        ),
        (
            "up to the maximum number of rows",
            one(20),
            &[
                ask(0, 1),
                ask(1, 2).rows(3),
                ask(2, 3).rows(5),
                ask(3, 4).rows(8),
                ask(4, 5).rows(7),
                ask(5, 6).rows(2),
                ask(6, 7),
            ],
            &["0: 1", "20: 2 3", "40: 4", "60: 5", "80: 6 7"],
        ),
        (
            "on two instances",
            Takers {
                calls: 2,
                milliseconds: 20,
            },
            &[
                ask(0, 1),
                ask(1, 2),
                ask(2, 3),
                ask(3, 4).columns(2),
                ask(4, 5),
            ],
            &["0: 1", "1: 2", "20: 3", "21: 4", "40: 5"],
        ),
    ];
    check(&MODEL, table).await;
}

#[tokio::test(start_paused = true)]
async fn with_a_delay_a_batch_takes_requests_until_it_cannot_grow() {
    let table: &[Row<'_>] = &[
        ("a single request", AT_ONCE, &[ask(3, 1)], &["13: 1"]),
        (
            "several requests, delayed from the first one",
            AT_ONCE,
            &[ask(3, 1), ask(7, 2), ask(12, 3), ask(14, 4)],
            &["13: 1 2 3", "24: 4"],
        ),
        (
            "a full batch",
            AT_ONCE,
            &[ask(3, 1).rows(4), ask(5, 2).rows(3), ask(7, 3)],
            &["7: 1 2 3"],
        ),
        (
            "more rows than a batch can hold",
            AT_ONCE,
            &[ask(3, 1).rows(4), ask(5, 2).rows(3), ask(7, 3).rows(2)],
            &["7: 1 2", "17: 3"],
        ),
        (
            "a request that fills a batch",
            AT_ONCE,
            &[ask(3, 1).rows(8)],
            &["3: 1"],
        ),
        (
            "a request that cannot be stacked ends the delay of earlier ones and starts its own",
            AT_ONCE,
            &[ask(3, 1), ask(5, 2), ask(7, 3).columns(2), ask(9, 4)],
            &["7: 1 2", "9: 3", "19: 4"],
        ),
        (
            "so does a request with another set of optional inputs",
            AT_ONCE,
            &[ask(3, 1).second(), ask(5, 2), ask(7, 3)],
            &["5: 1", "15: 2 3"],
        ),
        (
            "different parameters do not",
            AT_ONCE,
            &[ask(3, 1).key(1), ask(5, 2).key(2), ask(7, 3)],
            &["13: 1 2 3"],
        ),
        (
            "time spent waiting for an instance counts towards the delay",
            one(20),
            &[ask(0, 1).rows(8), ask(5, 2), ask(12, 3)],
            &["0: 1", "20: 2 3"],
        ),
        (
            "the rest of the delay is still waited for",
            one(20),
            &[ask(0, 1).rows(8), ask(15, 2), ask(22, 3)],
            &["0: 1", "25: 2 3"],
        ),
    ];
    check(&PATIENT, table).await;
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_a_preferred_size_leaves_at_once() {
    let table: &[Row<'_>] = &[
        (
            "the requests arrive one at a time",
            AT_ONCE,
            &[ask(3, 1), ask(5, 2), ask(7, 3)],
            &["5: 1 2", "17: 3"],
        ),
        (
            "the larger preferred size, if both are reached",
            one(20),
            &[
                ask(0, 1).rows(2),
                ask(1, 2),
                ask(2, 3),
                ask(3, 4),
                ask(4, 5),
                ask(5, 6),
            ],
            // A batch of the maximum size leaves space for one more.
            &["0: 1", "20: 2 3 4 5 6"],
        ),
        (
            "a request that exceeds both sizes does not join",
            AT_ONCE,
            &[ask(3, 1).rows(3), ask(5, 2).rows(2)],
            &["5: 1", "5: 2"],
        ),
        (
            "after a request that cannot be stacked",
            AT_ONCE,
            &[ask(3, 1).columns(2), ask(5, 2), ask(7, 3)],
            &["5: 1", "7: 2 3"],
        ),
    ];
    check(&delayed(&[2, 4]), table).await;
}

#[tokio::test(start_paused = true)]
async fn unstackable_request_runs_alone_without_waiting() {
    let alone: &[Row<'_>] = &[
        (
            "at once",
            AT_ONCE,
            &[ask(3, 1), ask(5, 2).rows(4), ask(7, 3)],
            &["3: 1", "5: 2", "7: 3"],
        ),
        (
            "one call at a time",
            one(20),
            &[ask(0, 1), ask(1, 2), ask(2, 3).columns(2), ask(3, 4)],
            &["0: 1", "20: 2", "40: 3", "60: 4"],
        ),
        (
            "as many concurrent calls as there are instances",
            Takers {
                calls: 3,
                milliseconds: 20,
            },
            &[ask(0, 1), ask(1, 2), ask(2, 3), ask(3, 4), ask(4, 5)],
            &["0: 1", "1: 2", "2: 3", "20: 4", "21: 5"],
        ),
    ];
    let of_requests = ModelDeclaration {
        call: CallMode::Request,
        ..PATIENT
    };
    let ungathered = ModelDeclaration {
        options: ModelOptions {
            dynamic_batching: false,
            ..MODEL.options
        },
        ..MODEL
    };
    for model in [of_requests, ungathered] {
        check(&model, alone).await;
    }
}

#[tokio::test(start_paused = true)]
async fn different_parameters_are_separated_only_if_responses_may_be_endless() {
    let asked = &[
        ask(3, 1).key(1),
        ask(5, 2).key(1),
        ask(7, 3).key(2),
        ask(8, 4).key(1),
    ];
    let table: [(bool, bool, &[&str]); 4] = [
        (false, false, &["13: 1 2 3 4"]),
        (true, false, &["13: 1 2 3 4"]),
        (false, true, &["13: 1 2 3 4"]),
        (true, true, &["7: 1 2", "8: 3", "18: 4"]),
    ];
    for (by_parameters, decoupled, expected) in table {
        let model = ModelDeclaration {
            by_parameters,
            decoupled,
            ..PATIENT
        };
        let happened = happens(&model, AT_ONCE, asked, None).await;
        assert_eq!(happened, expected, "{by_parameters} {decoupled}");
    }
}

#[tokio::test(start_paused = true)]
async fn different_clients_are_separated_only_if_responses_may_be_endless() {
    let asked = &[
        ask(3, 1).client("a"),
        ask(5, 2).client("a"),
        ask(7, 3).client("b"),
        ask(8, 4).client("a"),
    ];
    let together = &["13: 1 2 3 4"][..];
    for (takes_identity, decoupled, expected) in [
        (false, false, together),
        (true, false, together),
        (false, true, together),
        (true, true, &["7: 1 2", "8: 3", "18: 4"]),
    ] {
        let model = ModelDeclaration {
            takes_identity,
            decoupled,
            ..PATIENT
        };
        let happened = happens(&model, AT_ONCE, asked, None).await;
        assert_eq!(happened, expected, "{takes_identity} {decoupled}");
    }
}

#[tokio::test(start_paused = true)]
async fn raw_functions_receive_requests_grouped_by_shape() {
    let model = ModelDeclaration {
        call: CallMode::Raw,
        ..PATIENT
    };
    let table: &[Row<'_>] = &[(
        "by shape",
        AT_ONCE,
        &[
            ask(3, 1),
            ask(5, 2).key(1),
            ask(7, 3).columns(2),
            ask(8, 4).columns(2),
        ],
        &["7: 1 2", "17: 3 4"],
    )];
    check(&model, table).await;
}
