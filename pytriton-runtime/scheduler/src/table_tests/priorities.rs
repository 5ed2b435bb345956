//! Priority levels, some of them full, with a delay and until the queue is closed.

use std::time::Duration;

use pytriton_core::model::{QueuePolicy, TimeoutAction};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};

use super::bench::{AT_ONCE, MODEL, Takers, TestRequest, ask, happens, one};

/// At most two requests may wait.
const TWO: QueuePolicy = QueuePolicy::DEFAULT.max_queue_size(2);

/// Refused after fifteen milliseconds, or earlier if a request specifies a shorter timeout.
const REJECT: QueuePolicy = QueuePolicy::DEFAULT
    .timeout_action(TimeoutAction::Reject)
    .default_timeout(Duration::from_millis(15))
    .allow_timeout_override(true);

/// Delayed behind the others of the level after the timeout.
const DELAY: QueuePolicy = REJECT.timeout_action(TimeoutAction::Delay);

/// A model with three levels (default 2) and batches of up to four rows.
const fn levels(
    milliseconds: u64,
    queue_policies: &'static [(u64, QueuePolicy)],
) -> ModelDeclaration {
    ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 4,
            dynamic_batching: true,
            preferred_batch_size: &[],
            max_queue_delay_microseconds: milliseconds * 1000,
            preserve_ordering: false,
            queue_policy: QueuePolicy::DEFAULT,
            priority_levels: 3,
            default_priority_level: 2,
            priority_queue_policy: queue_policies,
            ..MODEL.options
        },
        ..MODEL
    }
}

struct Row<'a> {
    what: &'a str,
    served: Takers,
    asked: &'a [TestRequest],
    closed: Option<u64>,
    expected: &'a [&'a str],
}

async fn check(model: &ModelDeclaration, table: &[Row<'_>]) {
    for row in table {
        let happened = happens(model, row.served, row.asked, row.closed).await;
        assert_eq!(happened, *row.expected, "{}", row.what);
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_counts_from_the_oldest_request_of_the_batch() {
    let table = [
        Row {
            what: "the urgent request goes first, after the delay of the oldest",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(3), ask(4, 2).level(1), ask(6, 3)],
            closed: None,
            expected: &["10: 2 3 1"],
        },
        Row {
            what: "urgent requests fill the batch; older ones stay in the queue",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(3).rows(2), ask(4, 2).level(1).rows(3)],
            closed: None,
            expected: &["4: 2", "10: 1"],
        },
        Row {
            what: "an urgent request of another shape does not wait",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(3),
                ask(4, 2).level(1).columns(2),
                ask(6, 3).level(3),
            ],
            closed: None,
            expected: &["4: 2", "10: 1 3"],
        },
        Row {
            what: "once the requests between them have left, it waits with others of its shape",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(3).columns(2),
                ask(2, 2),
                ask(4, 3).level(1).columns(2),
            ],
            closed: None,
            expected: &["2: 2", "10: 3 1"],
        },
        Row {
            what: "during a call",
            served: one(20),
            asked: &[
                ask(0, 1).rows(4),
                ask(1, 2).level(3),
                ask(2, 3).level(2),
                ask(3, 4).level(1).rows(2),
                ask(4, 5).level(9),
                ask(15, 6).level(3),
            ],
            closed: None,
            expected: &["0: 1", "20: 4 3 5", "40: 2 6"],
        },
    ];
    check(&levels(10, &[]), &table).await;
}

#[tokio::test(start_paused = true)]
async fn a_full_level_refuses_requests_until_a_batch_has_left() {
    let model = levels(10, &[(1, TWO), (2, TWO)]);
    let table = [
        Row {
            what: "as many requests as the level allows",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(1), ask(1, 2).level(1)],
            closed: None,
            expected: &["10: 1 2"],
        },
        Row {
            what: "one too many, and another once the batch has left",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(1),
                ask(1, 2).level(1),
                ask(2, 3).level(1),
                ask(11, 4).level(1),
            ],
            closed: None,
            expected: &["2: 3 full", "10: 1 2", "21: 4"],
        },
        Row {
            what: "the default level, named explicitly or not",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(2),
                ask(1, 2).level(7),
                ask(2, 3),
                ask(3, 4).level(9),
                ask(4, 5).level(2),
                ask(5, 6).level(3),
            ],
            closed: None,
            expected: &["2: 3 full", "3: 4 full", "4: 5 full", "10: 1 2 6"],
        },
        Row {
            what: "the urgent level, while lower levels wait, until a batch is full",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(3),
                ask(1, 2).level(1),
                ask(2, 3).level(1),
                ask(3, 4).level(1),
                ask(4, 5).level(2),
            ],
            closed: None,
            expected: &["3: 4 full", "4: 2 3 5 1"],
        },
        Row {
            what: "the limit counts requests, not rows",
            served: one(20),
            asked: &[
                ask(0, 1).rows(4),
                ask(1, 2).level(1).rows(4),
                ask(2, 3).level(1).rows(4),
                ask(3, 4).level(1),
                ask(21, 5).level(1),
            ],
            closed: None,
            expected: &["0: 1", "3: 4 full", "20: 2", "40: 3", "60: 5"],
        },
        Row {
            what: "executing requests do not count",
            served: one(20),
            asked: &[
                ask(0, 1).level(1).rows(4),
                ask(1, 2).level(1),
                ask(2, 3).level(1),
                ask(3, 4).level(1),
            ],
            closed: None,
            expected: &["0: 1", "3: 4 full", "20: 2 3"],
        },
    ];
    check(&model, &table).await;
}

#[tokio::test(start_paused = true)]
async fn a_level_applies_its_timeout_action() {
    // The queue delay is longer than the timeouts of the levels.
    let model = levels(30, &[(1, REJECT), (3, DELAY)]);
    let table = [
        Row {
            what: "the urgent level rejects a timed-out request, which frees its place",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(1), ask(1, 2).level(1).timeout(5)],
            closed: None,
            expected: &["6: 2 late", "15: 1 late"],
        },
        Row {
            what: "a request cannot extend the timeout of its level",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(1).timeout(60)],
            closed: None,
            expected: &["15: 1 late"],
        },
        Row {
            what: "a rejected request does not change the delay of others",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(1).timeout(5), ask(2, 2), ask(4, 3).level(3)],
            closed: None,
            expected: &["5: 1 late", "32: 2 3"],
        },
        Row {
            what: "the last level moves timed-out requests behind the others",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(3),
                ask(1, 2).level(3).timeout(40),
                ask(28, 3).level(3),
            ],
            closed: None,
            expected: &["30: 3 1 2"],
        },
        Row {
            what: "both actions during a call",
            served: one(20),
            asked: &[
                ask(0, 1).rows(4),
                ask(1, 2).level(1),
                ask(2, 3).level(3),
                ask(3, 4).level(3),
                ask(10, 5).level(3),
                ask(11, 6).level(1),
            ],
            closed: None,
            expected: &["0: 1", "16: 2 late", "20: 6 5 3 4"],
        },
    ];
    check(&model, &table).await;
}

#[tokio::test(start_paused = true)]
async fn closed_queue_serves_accepted_requests_only() {
    let model = levels(10, &[(1, TWO), (3, REJECT)]);
    let table = [
        Row {
            what: "nothing",
            served: AT_ONCE,
            asked: &[ask(5, 1)],
            closed: Some(4),
            expected: &["5: 1 stopping"],
        },
        Row {
            what: "delayed requests leave at once, the urgent ones first",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(3),
                ask(1, 2),
                ask(2, 3).level(1),
                ask(5, 4).level(1),
            ],
            closed: Some(4),
            expected: &["4: 3 2 1", "5: 4 stopping"],
        },
        Row {
            what: "requests that cannot be stacked leave separately",
            served: AT_ONCE,
            asked: &[ask(0, 1).level(3), ask(3, 2).level(3).columns(2)],
            closed: Some(4),
            expected: &["3: 1", "4: 2"],
        },
        Row {
            what: "a full level is closed as well",
            served: AT_ONCE,
            asked: &[
                ask(0, 1).level(1),
                ask(1, 2).level(1),
                ask(2, 3).level(1),
                ask(5, 4).level(1),
            ],
            closed: Some(4),
            expected: &["2: 3 full", "4: 1 2", "5: 4 stopping"],
        },
        Row {
            what: "during a call, without the delay",
            served: one(20),
            asked: &[
                ask(0, 1).rows(4),
                ask(15, 2),
                ask(16, 3).columns(2).level(1),
                ask(17, 4).rows(4),
                ask(18, 5),
                ask(30, 6),
            ],
            closed: Some(19),
            expected: &["0: 1", "20: 3", "30: 6 stopping", "40: 2", "60: 4", "80: 5"],
        },
        Row {
            what: "on two instances, until the last call ends",
            served: Takers {
                calls: 2,
                milliseconds: 20,
            },
            asked: &[
                ask(0, 1).rows(4),
                ask(1, 2).rows(4),
                ask(2, 3).rows(4),
                ask(3, 4).rows(2),
                ask(22, 5),
            ],
            closed: Some(4),
            expected: &["0: 1", "1: 2", "20: 3", "21: 4", "22: 5 stopping"],
        },
        Row {
            what: "timeouts still apply",
            served: one(20),
            asked: &[
                ask(0, 1).rows(4),
                ask(1, 2).level(3).timeout(5),
                ask(2, 3).level(3),
                ask(3, 4),
            ],
            closed: Some(4),
            expected: &["0: 1", "6: 2 late", "17: 3 late", "20: 4"],
        },
    ];
    check(&model, &table).await;
}
