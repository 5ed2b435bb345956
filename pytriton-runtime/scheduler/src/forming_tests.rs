//! Batching over time, tested with paused time.

use std::sync::Arc;
use std::time::Duration;

use pytriton_core::model::{ModelSpec, QueuePolicy, TimeoutAction};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::Request;
use pytriton_core::testing::{IDENTITY, request};
use tokio::time::{Instant, advance, sleep};

use super::Policy;
use super::dynamic::DynamicQueue;
use super::message::Origin;
use super::served::MILLISECOND;

/// The queue of a model with one instance, and the model.
struct Forming {
    spec: Arc<ModelSpec>,
    queue: DynamicQueue,
}

impl Forming {
    fn new(preferred: &'static [u32], delay: Duration, queue_policy: QueuePolicy) -> Self {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                preferred_batch_size: preferred,
                max_queue_delay_microseconds: u64::try_from(delay.as_micros()).unwrap(),
                queue_policy,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        Self {
            queue: DynamicQueue::new(Policy::new(&spec, 64), 1),
            spec,
        }
    }

    fn push(&self, rows: usize) {
        let request = request(&self.spec, rows, 0.0);
        self.queue.push(request).unwrap();
    }

    /// Returns the rows of the next batch, which is executed from then on.
    async fn batch(&self) -> Vec<usize> {
        let batch = self.queue.next_batch().await.unwrap();
        assert!(matches!(batch.origin, Origin::PriorityQueue { .. }));
        batch.requests.iter().map(Request::batch_size).collect()
    }

    /// Completes the running batch and returns the rows of the next one.
    async fn next(&self) -> Vec<usize> {
        self.queue.release(false);
        self.batch().await
    }
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_largest_preferred_size_wait() {
    let forming = Forming::new(&[2, 6], 4000 * MILLISECOND, QueuePolicy::DEFAULT);
    let begun = Instant::now();
    forming.push(3);
    advance(1000 * MILLISECOND).await;
    forming.push(4);
    assert_eq!(forming.batch().await, [3]);
    assert_eq!(begun.elapsed(), 1000 * MILLISECOND);
    assert_eq!(forming.next().await, [4]);
    let waited = begun.elapsed();
    assert!(
        waited >= 5000 * MILLISECOND && waited < 5010 * MILLISECOND,
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn busy_model_uses_the_first_preferred_size_reached() {
    let policies = [
        // Without timeouts, batches are formed while the instance is busy.
        (QueuePolicy::DEFAULT, [vec![1, 1], vec![1, 1], vec![1, 1]]),
        // Otherwise they are formed when the instance is idle.
        (
            QueuePolicy::DEFAULT.max_queue_size(60),
            [vec![1, 1, 1, 1, 1, 1], vec![2, 2, 2], vec![3, 3]],
        ),
    ];
    for (policy, batches) in policies {
        let forming = Forming::new(&[2, 6], Duration::ZERO, policy);
        forming.push(8);
        assert_eq!(forming.batch().await, [8]);
        for _ in 0..6 {
            forming.push(1);
        }
        let limited = policy.max_queue_size > 0;
        if limited {
            (0..3).for_each(|_| forming.push(2));
            (0..2).for_each(|_| forming.push(3));
        }
        for batch in batches {
            assert_eq!(forming.next().await, batch, "{policy:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_waits_for_its_instance_grows_to_a_preferred_size() {
    let table: [(&[usize], &[&[usize]]); 4] = [
        (&[1, 1, 1, 3], &[&[1, 1, 1, 3]]),
        (&[1, 1, 4], &[&[1, 1, 4]]),
        // A single row immediately joins a batch without a preferred size.
        (&[1, 1, 4, 1, 2], &[&[1, 1, 4, 1], &[2]]),
        (&[7, 1], &[&[7], &[1]]),
    ];
    for (rows, batches) in table {
        let forming = Forming::new(&[2, 6], 100 * MILLISECOND, QueuePolicy::DEFAULT);
        forming.push(8);
        assert_eq!(forming.batch().await, [8]);
        for &rows in rows {
            forming.push(rows);
        }
        for batch in batches {
            assert_eq!(forming.next().await, *batch, "{rows:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_instance_is_woken_when_a_request_is_delayed() {
    let policy = QueuePolicy::DEFAULT
        .timeout_action(TimeoutAction::Delay)
        .default_timeout(Duration::from_millis(5));
    let forming = Forming::new(&[4, 8], 10_000 * MILLISECOND, policy);
    let begun = Instant::now();
    let pushing = async {
        forming.push(1);
        sleep(2 * MILLISECOND).await;
        forming.push(4);
    };
    // Five rows wait for eight. Behind the four, the delayed row no longer keeps them waiting.
    let (batch, ()) = tokio::join!(forming.batch(), pushing);
    assert_eq!(batch, [4]);
    let waited = begun.elapsed();
    assert!(
        waited >= 5 * MILLISECOND && waited < 10 * MILLISECOND,
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn withdrawn_request_is_removed_from_its_batch() {
    let forming = Forming::new(&[2, 6], Duration::ZERO, QueuePolicy::DEFAULT);
    forming.push(8);
    assert_eq!(forming.batch().await, [8]);
    let mut tickets = Vec::new();
    for _ in 0..5 {
        let request = request(&forming.spec, 1, 0.0);
        tickets.push(forming.queue.push(request).unwrap().ticket);
    }
    use pytriton_core::statistics::FailureReason::Canceled;
    assert!(forming.queue.withdraw(tickets[1], Canceled));
    assert!(forming.queue.withdraw(tickets[4], Canceled));
    assert_eq!(forming.next().await, [1]);
    assert_eq!(forming.next().await, [1, 1]);
    assert_eq!(forming.queue.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn expired_request_leaves_its_batch_at_once() {
    let policy = QueuePolicy::DEFAULT
        .default_timeout(Duration::from_millis(100))
        .timeout_action(TimeoutAction::Delay);
    let forming = Forming::new(&[4, 8], 10_000 * MILLISECOND, policy);
    let begun = Instant::now();
    forming.push(3);
    advance(50 * MILLISECOND).await;
    forming.push(4);
    assert_eq!(forming.batch().await, [4]);
    let waited = begun.elapsed();
    assert!(
        waited >= 100 * MILLISECOND && waited < 110 * MILLISECOND,
        "{waited:?}"
    );
    // A late request waits for others like any other request.
    assert_eq!(forming.next().await, [3]);
    let waited = begun.elapsed();
    assert!(
        waited >= 10_000 * MILLISECOND && waited < 10_010 * MILLISECOND,
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn first_batch_waits_while_the_queue_is_held() {
    let mut forming = Forming::new(&[2, 6], Duration::ZERO, QueuePolicy::DEFAULT);
    forming.queue.hold_until(3);
    for _ in 0..3 {
        let none = tokio::time::timeout(1000 * MILLISECOND, forming.queue.next_batch()).await;
        assert!(none.is_err());
        forming.push(2);
    }
    assert_eq!(forming.batch().await, [2, 2, 2]);
    forming.push(1);
    assert_eq!(forming.next().await, [1]);
}
