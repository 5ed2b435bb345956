//! Batches within a maximum cost.

use std::sync::Arc;
use std::time::Duration;

use pytriton_core::model::{CallOptions, ModelSpec};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::Request;
use pytriton_core::testing::{IDENTITY, request};
use tokio::time::Instant;

use super::dynamic::DynamicQueue;
use super::message::Enqueued;
use super::prefetch::{Formed, Prefetched};
use super::served::MILLISECOND;
use super::{BatchSize, Candidate, Decision, Policy};

/// A model whose requests cost as much as they have rows.
fn spec(preferred: &'static [u32], delay: Duration, max_batch_cost: u64) -> ModelSpec {
    let declaration = ModelDeclaration {
        options: ModelOptions {
            preferred_batch_size: preferred,
            max_queue_delay_microseconds: u64::try_from(delay.as_micros()).unwrap(),
            call_options: CallOptions::DEFAULT.max_batch_cost(max_batch_cost),
            cost: Some("INPUT_1"),
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let spec = declaration.spec().unwrap();
    assert_eq!(spec.cost_input, Some(0));
    spec
}

/// Preferred sizes, delay, size of the batch so far, costs of waiting requests of one row, how many
/// are taken, and whether the batch is full.
type Row<'a> = (
    &'static [u32],
    u64,
    (usize, u64),
    &'a [u64],
    Option<(usize, bool)>,
);

/// The maximum cost is 10, and the maximum batch size 8.
const TABLE: &[Row<'_>] = &[
    // No request, and one of any cost.
    (&[], 0, (0, 0), &[], Some((0, true))),
    (&[], 0, (0, 0), &[3], Some((1, false))),
    (&[], 0, (0, 0), &[11], Some((1, true))),
    (&[], 100, (0, 0), &[3], None),
    // A batch that has reached the maximum does not wait for others.
    (&[], 100, (0, 0), &[10], Some((1, true))),
    (&[], 100, (0, 0), &[11], Some((1, true))),
    (&[], 100, (0, 0), &[5, 5], Some((2, true))),
    (&[], 100, (0, 0), &[5, 4], None),
    // An expensive request first, in the middle, and last.
    (&[], 0, (0, 0), &[11, 1], Some((1, true))),
    (&[], 0, (0, 0), &[11, 0], Some((1, true))),
    (&[], 0, (0, 0), &[1, 11, 1], Some((1, true))),
    (&[], 0, (0, 0), &[1, 1, 1, 11], Some((3, true))),
    // Up to the maximum.
    (&[], 0, (0, 0), &[5, 5], Some((2, true))),
    (&[], 0, (0, 0), &[5, 5, 1], Some((2, true))),
    (&[], 0, (0, 0), &[5, 6], Some((1, true))),
    (&[], 0, (0, 0), &[u64::MAX, u64::MAX], Some((1, true))),
    // Requests that cost nothing are limited by rows only.
    (&[], 0, (0, 0), &[0; 9], Some((8, true))),
    // A request that does not fit ends the wait for others.
    (&[], 100, (0, 0), &[5, 6], Some((1, true))),
    // A preferred size below the maximum cost is taken.
    (&[2], 100, (0, 0), &[1, 1, 1, 9], Some((2, false))),
    (&[4], 100, (0, 0), &[4, 4, 4, 4], Some((2, true))),
    // A formed batch grows up to the maximum.
    (&[2], 100, (1, 9), &[1], Some((1, false))),
    (&[2], 100, (1, 9), &[2], Some((0, true))),
    (&[2], 100, (1, 11), &[0], Some((0, true))),
];

#[test]
fn a_batch_of_several_requests_has_at_most_the_maximum_cost() {
    let now = Instant::now();
    for &(preferred, delay, (rows, cost), costs, expected) in TABLE {
        let delay = Duration::from_micros(delay);
        let policy = Policy::new(&spec(preferred, delay, 10), 16);
        let candidates = costs.iter().map(|&cost| Candidate {
            size: BatchSize { rows: 1, cost },
            since: now,
            joins: true,
        });
        let decision = policy.decide(BatchSize { rows, cost }, candidates, false, now);
        let taken = match decision {
            Decision::Take { requests, full, .. } => Some((requests, full)),
            Decision::Wait(_) => None,
        };
        assert_eq!(taken, expected, "{preferred:?} {rows} {cost} {costs:?}");
    }
}

/// The queue of a model with one instance, and the model.
struct Limited {
    spec: Arc<ModelSpec>,
    queue: DynamicQueue,
}

impl Limited {
    fn new(preferred: &'static [u32], delay: Duration) -> Self {
        let spec = Arc::new(spec(preferred, delay, 5));
        let queue = DynamicQueue::new(Policy::new(&spec, 64), 1);
        Self { spec, queue }
    }

    fn push(&self, rows: usize) -> Enqueued {
        self.queue.push(request(&self.spec, rows, 0.0)).unwrap()
    }

    /// Executes the waiting requests, and returns the rows of each batch.
    async fn batches(&self) -> Vec<Vec<usize>> {
        let mut batches = Vec::new();
        while self.queue.pending() > 0 {
            let batch = self.queue.next_batch().await.unwrap();
            batches.push(batch.requests.iter().map(Request::batch_size).collect());
            self.queue.release(false);
        }
        batches
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_requests_form_batches_within_the_maximum_cost() {
    let table: [(&[usize], &[&[usize]]); 6] = [
        (&[], &[]),
        (&[8], &[&[8]]),
        (&[8, 1, 1], &[&[8], &[1, 1]]),
        (&[1, 1, 8, 1], &[&[1, 1], &[8], &[1]]),
        (&[1, 1, 1, 8], &[&[1, 1, 1], &[8]]),
        (&[2, 2, 2, 3, 5, 6], &[&[2, 2], &[2, 3], &[5], &[6]]),
    ];
    for (rows, batches) in table {
        for delay in [Duration::ZERO, 100 * MILLISECOND] {
            let limited = Limited::new(&[], delay);
            let _enqueued: Vec<_> = rows.iter().map(|&rows| limited.push(rows)).collect();
            assert_eq!(limited.batches().await, batches, "{rows:?} {delay:?}");
        }
    }
}

/// Batches that are formed while the instance is busy leave together after the queue delay.
#[test]
fn batches_formed_ahead_leave_together_within_the_maximum_cost() {
    let begun = Instant::now();
    let policy = Policy::new(&spec(&[2], 100 * MILLISECOND, 10), 16);
    let size = |rows, cost| BatchSize { rows, cost };
    let withdrawn = [None, Some(size(1, 1)), Some(size(1, 5))];
    for (withdrawn, expected) in withdrawn.into_iter().zip([2, 3, 3]) {
        let mut batches = Prefetched::default();
        for (requests, size) in [(2, size(2, 6)), (2, size(2, 5)), (1, size(1, 5))] {
            batches.add(Formed {
                requests,
                size,
                since: begun,
                full: true,
                differs: false,
            });
        }
        if let Some(size) = withdrawn {
            batches.withdraw(0, size);
        }
        let taken = batches.take(&policy, begun + 300 * MILLISECOND, |_| true);
        assert_eq!(taken, Some(expected), "{withdrawn:?}");
    }
}
