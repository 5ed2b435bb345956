//! Priority levels with paused time. Each request has a single row with its number.

use std::sync::Arc;
use std::time::Duration;

use pytriton_core::model::{ModelSpec, QueuePolicy, TimeoutAction};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{InferRequest, Request};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::testing::{IDENTITY, infer_request};
use tokio::time::{advance, timeout};

use super::Policy;
use super::dynamic::DynamicQueue;

const MILLISECOND: Duration = Duration::from_millis(1);

const DELAY: QueuePolicy = QueuePolicy::DEFAULT
    .timeout_action(TimeoutAction::Delay)
    .default_timeout(Duration::from_millis(1));
const REJECT: QueuePolicy = DELAY.timeout_action(TimeoutAction::Reject);
/// A timeout of ten milliseconds, which a request may shorten.
const PATIENT: QueuePolicy = REJECT
    .default_timeout(Duration::from_millis(10))
    .allow_timeout_override(true);
const ONE: QueuePolicy = QueuePolicy::DEFAULT.max_queue_size(1);

/// A model with three levels (default 2) and batches of up to four rows.
struct Levels {
    spec: Arc<ModelSpec>,
    queue: DynamicQueue,
}

impl Levels {
    fn new(delay: u64, queue_policies: &'static [(u64, QueuePolicy)]) -> Self {
        Self::of(ModelOptions {
            max_queue_delay_microseconds: delay,
            priority_levels: 3,
            default_priority_level: 2,
            priority_queue_policy: queue_policies,
            ..IDENTITY.options
        })
    }

    fn of(options: ModelOptions<'static>) -> Self {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                max_batch_size: 4,
                ..options
            },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        let queue = DynamicQueue::new(Policy::new(&spec, 16), usize::MAX);
        Self { spec, queue }
    }

    fn push(&self, priority: u64, number: u8) -> Result<(), SchedulerError> {
        let request = InferRequest {
            id: number.to_string(),
            priority,
            ..infer_request(1, 0.0)
        };
        let request = Request::check(&self.spec, request).unwrap();
        self.queue.push(request).map(|_| ())
    }

    /// Returns the numbers in the next batch, in order.
    async fn batch(&self) -> Vec<u8> {
        let batch = self.queue.next_batch().await.unwrap();
        let requests = batch.requests.iter();
        requests
            .map(|request| request.id().parse().unwrap())
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn lower_numbers_leave_first_and_levels_preserve_order() {
    let levels = Levels::new(0, &[]);
    // The default level and an unknown one are level 2.
    for (number, priority) in (1..).zip([3, 3, 2, 0, 1, 9, 1]) {
        levels.push(priority, number).unwrap();
    }
    assert_eq!(levels.batch().await, [5, 7, 3, 4]);
    levels.push(1, 8).unwrap();
    assert_eq!(levels.batch().await, [8, 6, 1, 2]);
    assert!(timeout(MILLISECOND, levels.batch()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn each_level_has_its_own_queue_limit() {
    let levels = Levels::new(0, &[(1, ONE)]);
    levels.push(1, 1).unwrap();
    let refused = levels.push(1, 2).unwrap_err();
    assert!(matches!(refused, SchedulerError::QueueFull { .. }));
    for number in 3..19 {
        levels.push(2, number).unwrap();
    }
    assert!(levels.push(0, 19).is_err());
    levels.push(3, 20).unwrap();
    assert_eq!(levels.queue.pending(), 18);
    assert_eq!(levels.queue.recorder().totals(0).failures, [2, 0, 0, 0]);
    assert_eq!(levels.batch().await, [1, 3, 4, 5]);
    levels.push(1, 21).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_model_may_have_any_number_of_levels_and_few_of_them_wait() {
    let levels = Levels::of(ModelOptions {
        priority_levels: u64::MAX,
        default_priority_level: 1 << 32,
        priority_queue_policy: &[(u64::MAX, ONE)],
        ..IDENTITY.options
    });
    let priorities = [u64::MAX, (1 << 32) + 1, 0, 7, (1 << 32) - 1, 7];
    for (number, priority) in (1..).zip(priorities) {
        levels.push(priority, number).unwrap();
    }
    assert!(levels.push(u64::MAX, 9).is_err());
    assert_eq!(levels.batch().await, [4, 6, 5, 3]);
    assert_eq!(levels.batch().await, [2, 1]);
    let most = 4096;
    for level in (1..=most).rev() {
        levels.push(level, 1).unwrap();
    }
    let refused = levels.push(most + 1, 2).unwrap_err();
    assert!(matches!(refused, SchedulerError::QueueFull { .. }));
    levels.push(most, 3).unwrap();
    assert_eq!(levels.batch().await, [1, 1, 1, 1]);
    levels.push(most + 1, 4).unwrap();
    assert_eq!(levels.queue.pending(), most - 2);
}

#[tokio::test(start_paused = true)]
async fn delayed_request_is_queued_behind_its_level() {
    let levels = Levels::new(0, &[(1, DELAY)]);
    levels.push(2, 1).unwrap();
    levels.push(1, 2).unwrap();
    levels.push(1, 3).unwrap();
    advance(2 * MILLISECOND).await;
    levels.push(1, 4).unwrap();
    levels.push(2, 5).unwrap();
    assert_eq!(levels.batch().await, [4, 2, 3, 1]);
    assert_eq!(levels.batch().await, [5]);
}

#[tokio::test(start_paused = true)]
async fn batches_exclude_expired_requests_of_rejecting_levels() {
    // Waiting requests (priority, number, milliseconds), and the requests that leave after two.
    type Row<'a> = (&'a [(u64, u8, u64)], &'a [u8], u64);
    let table: [Row<'_>; 9] = [
        (&[(3, 1, 1)], &[], 1),
        (&[(3, 1, 2)], &[], 1),
        (&[(3, 1, 3)], &[1], 0),
        (&[(3, 1, 1), (3, 2, 3), (3, 3, 3)], &[2, 3], 1),
        (&[(3, 1, 3), (3, 2, 1), (3, 3, 3)], &[1, 3], 1),
        (&[(3, 1, 3), (3, 2, 3), (3, 3, 1)], &[1, 2], 1),
        (&[(3, 1, 1), (3, 2, 1), (3, 3, 1)], &[], 3),
        // Two levels that refuse, and one in between without a timeout.
        (
            &[(3, 1, 1), (1, 2, 1), (2, 3, 1), (1, 4, 9), (3, 5, 9)],
            &[4, 3, 5],
            2,
        ),
        (&[(2, 1, 1), (3, 2, 1), (2, 3, 1)], &[1, 3], 1),
    ];
    for (waiting, leaves, refused) in table {
        let levels = Levels::new(0, &[(1, PATIENT), (3, PATIENT)]);
        let mut receivers = Vec::new();
        for &(priority, number, milliseconds) in waiting {
            let request = InferRequest {
                id: number.to_string(),
                priority,
                timeout_microseconds: milliseconds * 1000,
                ..infer_request(1, 0.0)
            };
            let request = Request::check(&levels.spec, request).unwrap();
            receivers.push((number, levels.queue.push(request).unwrap().receiver));
        }
        advance(2 * MILLISECOND).await;
        let batch = timeout(MILLISECOND, levels.batch()).await;
        assert_eq!(batch.unwrap_or_default(), leaves, "{waiting:?}");
        let failures = levels.queue.recorder().totals(0).failures;
        assert_eq!(failures.iter().sum::<u64>(), refused, "{waiting:?}");
        for (number, mut receiver) in receivers {
            let outcome = receiver.try_next();
            match leaves.contains(&number) {
                true => assert!(outcome.is_none(), "{number} of {waiting:?}"),
                false => assert!(matches!(outcome, Some(Err(SchedulerError::Timeout)))),
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_rejecting_levels_have_a_deadline() {
    let levels = Levels::new(0, &[(1, DELAY), (3, REJECT)]);
    for (priority, expected) in [(1, false), (2, false), (3, true)] {
        let request = InferRequest {
            priority,
            ..infer_request(1, 0.0)
        };
        let request = Request::check(&levels.spec, request).unwrap();
        let refused = levels.queue.push(request).unwrap().refused;
        assert_eq!(refused.is_some(), expected, "{priority}");
    }
}

#[tokio::test(start_paused = true)]
async fn delayed_batch_contains_its_oldest_and_is_sorted_by_priority() {
    let levels = Levels::new(10_000, &[]);
    levels.push(3, 1).unwrap();
    advance(4 * MILLISECOND).await;
    levels.push(1, 2).unwrap();
    let begun = tokio::time::Instant::now();
    assert_eq!(levels.batch().await, [2, 1]);
    assert_eq!(begun.elapsed(), 6 * MILLISECOND);
}
