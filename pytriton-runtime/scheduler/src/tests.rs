//! The queue with paused time, and schedulers of real models.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use ndarray::Ix2;
use pytriton_core::call::{Call, Execution, Instance, ModelError};
use pytriton_core::decorators::PadBatch;
use pytriton_core::model::{CallMode, CallOptions, ModelSpec, QueuePolicy, TimeoutAction};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{InferRequest, Request};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::status::Status;
use pytriton_core::testing::{Bomb, GATE, IDENTITY, TWO, infer_request, request};
use tokio::runtime::Handle;
use tokio::sync::Barrier;
use tokio::time::{Instant, advance, timeout};

use super::dynamic::DynamicQueue;
use super::message::Batch;
use super::served::{MILLISECOND, Served};
use super::{Policy, Resources, Scheduler};

/// The duration of a call with -4.
const CALL: Duration = Duration::from_millis(50);

fn spec(options: ModelOptions<'static>) -> Arc<ModelSpec> {
    let declaration = ModelDeclaration {
        options,
        ..IDENTITY
    };
    Arc::new(declaration.spec().unwrap())
}

fn delayed(milliseconds: u64) -> Arc<ModelSpec> {
    spec(ModelOptions {
        max_queue_delay_microseconds: milliseconds * 1000,
        ..IDENTITY.options
    })
}

fn queue(spec: &Arc<ModelSpec>) -> DynamicQueue {
    DynamicQueue::new(Policy::new(spec, 4), usize::MAX)
}

fn rows(batch: &Batch) -> Vec<usize> {
    batch.requests.iter().map(Request::batch_size).collect()
}

#[tokio::test(start_paused = true)]
async fn without_delay_a_batch_contains_waiting_requests() {
    let spec = delayed(0);
    let queue = queue(&spec);
    for rows in [3, 3, 3] {
        queue.push(request(&spec, rows, 0.0)).unwrap();
    }
    assert_eq!(rows(&queue.next_batch().await.unwrap()), [3, 3]);
    assert_eq!(rows(&queue.next_batch().await.unwrap()), [3]);
    assert!(timeout(MILLISECOND, queue.next_batch()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn oldest_request_waits_at_most_the_delay() {
    let spec = delayed(10);
    let queue = queue(&spec);
    let begun = Instant::now();
    queue.push(request(&spec, 1, 0.0)).unwrap();
    advance(4 * MILLISECOND).await;
    queue.push(request(&spec, 1, 0.0)).unwrap();
    assert_eq!(rows(&queue.next_batch().await.unwrap()), [1, 1]);
    assert_eq!(begun.elapsed(), 10 * MILLISECOND);
}

#[tokio::test(start_paused = true)]
async fn a_full_batch_does_not_wait() {
    let spec = delayed(10);
    let queue = Arc::new(queue(&spec));
    let begun = Instant::now();
    queue.push(request(&spec, 7, 0.0)).unwrap();
    let taker = tokio::spawn({
        let queue = Arc::clone(&queue);
        async move { queue.next_batch().await }
    });
    advance(3 * MILLISECOND).await;
    queue.push(request(&spec, 1, 0.0)).unwrap();
    assert_eq!(rows(&taker.await.unwrap().unwrap()), [7, 1]);
    assert_eq!(begun.elapsed(), 3 * MILLISECOND);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_at_once() {
    let spec = delayed(10);
    let queue = queue(&spec);
    for _ in 0..4 {
        queue.push(request(&spec, 8, 0.0)).unwrap();
    }
    let refused = queue.push(request(&spec, 1, 0.0)).unwrap_err();
    assert!(matches!(refused, SchedulerError::QueueFull { .. }));
    assert_eq!(queue.pending(), 4);
    assert_eq!(queue.recorder().totals(0).failures, [1, 0, 0, 0]);
    queue.next_batch().await.unwrap();
    queue.push(request(&spec, 1, 0.0)).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_queue_without_instances_refuses_requests() {
    let spec = delayed(10_000);
    let queue = queue(&spec);
    let nobody = SchedulerError::NoInstance {
        model: "Identity".into(),
    };
    let mut waiting = queue.push(request(&spec, 1, 0.0)).unwrap().receiver;
    queue.refuse(Some(nobody.clone()));
    let error = waiting.next().await.unwrap().unwrap_err();
    assert_eq!(error, nobody.clone());
    let refused = queue.push(request(&spec, 1, 0.0)).unwrap_err();
    assert_eq!(refused, nobody);
    assert_eq!(queue.recorder().totals(0).failures, [0, 0, 2, 0]);
    queue.refuse(None);
    queue.push(request(&spec, 8, 0.0)).unwrap();
    assert_eq!(rows(&queue.next_batch().await.unwrap()), [8]);
}

#[tokio::test(start_paused = true)]
async fn closing_drains_the_queue() {
    let spec = delayed(10_000);
    let queue = Arc::new(queue(&spec));
    queue.push(request(&spec, 1, 0.0)).unwrap();
    let takers: Vec<_> = (0..3)
        .map(|_| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move {
                let mut batches = 0;
                while queue.next_batch().await.is_some() {
                    batches += 1;
                }
                batches
            })
        })
        .collect();
    tokio::task::yield_now().await;
    queue.close();
    let mut batches = 0;
    for taker in takers {
        batches += taker.await.unwrap();
    }
    assert_eq!(batches, 1);
    let refused = queue.push(request(&spec, 1, 0.0)).unwrap_err();
    assert_eq!(refused, SchedulerError::Stopping);
}

#[tokio::test(start_paused = true)]
async fn delayed_request_is_executed_after_the_others() {
    let policy = QueuePolicy::DEFAULT
        .timeout_action(TimeoutAction::Delay)
        .default_timeout(Duration::from_millis(1));
    let spec = spec(ModelOptions {
        queue_policy: policy,
        ..IDENTITY.options
    });
    let queue = queue(&spec);
    queue.push(request(&spec, 1, 0.0)).unwrap();
    advance(2 * MILLISECOND).await;
    queue.push(request(&spec, 2, 0.0)).unwrap();
    assert_eq!(rows(&queue.next_batch().await.unwrap()), [2, 1]);
}

async fn start(declaration: &ModelDeclaration) -> (Arc<ModelSpec>, Arc<Scheduler>) {
    let served = Served::start(declaration, 16).await;
    (served.spec, served.scheduler)
}

#[tokio::test]
async fn failing_batch_does_not_affect_others() {
    let (spec, scheduler) = start(&IDENTITY).await;
    let infer = |value| {
        let request = request(&spec, 2, value);
        async { scheduler.infer(request).await }
    };
    let panicked = infer(-1.0).await.unwrap_err().to_string();
    assert_eq!(panicked, "model 'Identity' panicked: asked to panic");
    let rows = infer(-2.0).await.unwrap_err().to_string();
    assert_eq!(
        rows,
        "output 'OUTPUT_1' of model 'Identity' has 3 rows, expected 2: one for each row of the batch"
    );
    let failed = infer(-3.0).await.unwrap_err().to_string();
    assert_eq!(failed, "model 'Identity' failed: asked to fail");
    let response = infer(7.0).await.unwrap();
    let elements = response.outputs[0]
        .1
        .elements::<f32>()
        .unwrap()
        .into_owned();
    assert_eq!(elements, [7.0, 7.0]);
    let totals = scheduler.totals();
    assert_eq!(totals.execution_count, 4);
    assert_eq!(totals.inference_count, 2);
    assert_eq!((totals.success.count, totals.fail.count), (1, 3));
}

#[tokio::test]
async fn panic_with_a_panicking_payload_does_not_end_the_instance() {
    let (spec, scheduler) = start(&IDENTITY).await;
    for _ in 0..3 {
        let bombed = scheduler.infer(request(&spec, 1, -6.0)).await.unwrap_err();
        let expected = "model 'Identity' panicked: a value that is not text";
        assert_eq!(bombed.to_string(), expected);
        scheduler.infer(request(&spec, 1, 7.0)).await.unwrap();
        assert!(scheduler.ready());
    }
}

#[tokio::test]
async fn cancelled_or_expired_request_is_not_executed() {
    let policy = QueuePolicy::DEFAULT
        .default_timeout(Duration::from_secs(60))
        .allow_timeout_override(true);
    let declaration = ModelDeclaration {
        options: ModelOptions {
            queue_policy: policy,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let (spec, scheduler) = start(&declaration).await;
    let gate = GATE.lock().await;
    let busy = tokio::spawn({
        let (scheduler, request) = (Arc::clone(&scheduler), request(&spec, 1, -5.0));
        async move { scheduler.infer(request).await }
    });
    tokio::task::yield_now().await;
    while scheduler.totals().pending > 0 {
        tokio::time::sleep(MILLISECOND).await;
    }
    let abandoned = timeout(MILLISECOND, scheduler.infer(request(&spec, 1, 1.0))).await;
    assert!(abandoned.is_err());
    let late = InferRequest {
        timeout_microseconds: 10_000,
        ..infer_request(1, 2.0)
    };
    let late = Request::check(&spec, late).unwrap();
    let late = scheduler.infer(late).await.unwrap_err();
    assert_eq!(late, SchedulerError::Timeout);
    drop(gate);
    busy.await.unwrap().unwrap();
    let totals = scheduler.totals();
    assert_eq!(totals.execution_count, 1);
    assert_eq!(totals.failures, [1, 1, 0, 0]);
}

#[tokio::test]
async fn abandoned_request_that_waits_is_not_executed() {
    let (spec, scheduler) = start(&IDENTITY).await;
    let gate = GATE.lock().await;
    let infer = |value| {
        let (scheduler, request) = (Arc::clone(&scheduler), request(&spec, 1, value));
        tokio::spawn(async move { scheduler.infer(request).await })
    };
    let busy = infer(-5.0);
    tokio::task::yield_now().await;
    while scheduler.totals().pending > 0 {
        tokio::time::sleep(MILLISECOND).await;
    }
    let pending = [busy, infer(1.0), infer(2.0)];
    while scheduler.totals().pending < 2 {
        tokio::time::sleep(MILLISECOND).await;
    }
    scheduler.abandon();
    for pending in pending {
        let error = pending.await.unwrap().unwrap_err();
        assert_eq!(error, SchedulerError::Stopping);
    }
    drop(gate);
    assert!(
        scheduler
            .drain(Instant::now() + Duration::from_secs(5))
            .await
    );
    assert_eq!(scheduler.totals().execution_count, 1);
}

#[tokio::test]
async fn drain_completes_accepted_requests() {
    let (spec, scheduler) = start(&IDENTITY).await;
    let accepted: Vec<_> = [-4.0, 1.0, 2.0]
        .into_iter()
        .map(|value| {
            let (scheduler, request) = (Arc::clone(&scheduler), request(&spec, 1, value));
            tokio::spawn(async move { scheduler.infer(request).await })
        })
        .collect();
    tokio::time::sleep(10 * MILLISECOND).await;
    assert!(
        scheduler
            .drain(Instant::now() + Duration::from_secs(5))
            .await
    );
    for accepted in accepted {
        accepted.await.unwrap().unwrap();
    }
    assert!(!scheduler.ready());
    let refused = scheduler.infer(request(&spec, 1, 0.0)).await.unwrap_err();
    assert_eq!(refused, SchedulerError::Stopping);
}

#[tokio::test]
async fn failed_load_fails_the_start() {
    let table: [(pytriton_core::call::Load, &str); 3] = [
        (|_| panic!("no weights"), "no weights"),
        (
            |context| Err(ModelError::internal(context.model(), &"no file")),
            "no file",
        ),
        (|_| std::panic::panic_any(Bomb), "a value that is not text"),
    ];
    for (load, message) in table {
        let model = ModelDeclaration { load, ..IDENTITY }
            .registration()
            .unwrap();
        let error = Scheduler::start(
            &model,
            Policy::new(&model.spec, 16),
            &Resources::new(&Handle::current(), usize::MAX),
        )
        .await
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("instance 0 of model 'Identity' could not be loaded: {message}")
        );
    }
}

/// The runtime's own timers have a resolution of one millisecond.
#[tokio::test(flavor = "multi_thread")]
async fn delay_has_microsecond_resolution() {
    let (spec, scheduler) = start(&ModelDeclaration {
        options: ModelOptions {
            max_queue_delay_microseconds: 100,
            ..IDENTITY.options
        },
        ..IDENTITY
    })
    .await;
    let mut took = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        scheduler.infer(request(&spec, 1, 1.0)).await.unwrap();
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    assert!(took[50] < Duration::from_micros(900), "{:?}", took[50]);
    assert!(took[0] >= Duration::from_micros(100), "{:?}", took[0]);
}

/// Eight calls of 50 ms on two instances take four rounds.
#[tokio::test]
async fn unstacked_requests_run_separately_on_all_instances() {
    let (spec, scheduler) = start(&ModelDeclaration {
        call: CallMode::Request,
        options: ModelOptions {
            instances: TWO,
            ..IDENTITY.options
        },
        ..IDENTITY
    })
    .await;
    let begun = Instant::now();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (request, scheduler) = (request(&spec, 1, -4.0), Arc::clone(&scheduler));
        calls.spawn(async move { scheduler.infer(request).await.unwrap() });
    }
    calls.join_next().await.unwrap().unwrap();
    let first = begun.elapsed();
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    let all = begun.elapsed();
    assert!(first < 2 * CALL && all < 6 * CALL, "{first:?} {all:?}");
    assert_eq!(scheduler.totals().execution_count, 8);
}

/// Returns how many of its calls run concurrently, once the maximum is reached.
struct Together {
    all: Barrier,
    under_way: AtomicU16,
}

impl Instance for Together {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut x = call.array::<f32, Ix2>(0)?.into_owned();
            self.under_way.fetch_add(1, Ordering::SeqCst);
            self.all.wait().await;
            x.fill(f32::from(self.under_way.load(Ordering::SeqCst)));
            self.all.wait().await;
            self.under_way.fetch_sub(1, Ordering::SeqCst);
            call.outputs(x)
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

/// Regardless of the maximum batch size, requests that are not stacked are separate batches.
#[tokio::test]
async fn concurrent_async_calls_are_limited_by_batches_in_flight() {
    for in_flight in [2_u16, 16] {
        let (spec, scheduler) = start(&ModelDeclaration {
            call: CallMode::Request,
            options: ModelOptions {
                max_batch_size: 8,
                call_options: CallOptions::DEFAULT.batches_in_flight(in_flight.into()),
                ..IDENTITY.options
            },
            load: |context| {
                let in_flight = context.model().call_options.batches_in_flight as usize;
                Ok(Box::new(Together {
                    all: Barrier::new(in_flight),
                    under_way: AtomicU16::new(0),
                }))
            },
            ..IDENTITY
        })
        .await;
        let calls = (0..16).map(|_| scheduler.infer(request(&spec, 1, 0.0)));
        let responses = timeout(Duration::from_secs(20), try_join_all(calls)).await;
        for answer in responses.unwrap().unwrap() {
            let elements = answer.outputs[0].1.elements::<f32>().unwrap();
            assert_eq!(*elements, [f32::from(in_flight)]);
        }
    }
}

#[tokio::test]
async fn dropped_scheduler_ends_its_instances() {
    let (_, scheduler) = start(&IDENTITY).await;
    let instances = Arc::clone(&scheduler.instances);
    drop(scheduler);
    timeout(Duration::from_secs(5), instances.ended())
        .await
        .unwrap();
}

/// A step adds as many bytes to a batch as 100,000 rows.
#[tokio::test]
async fn memory_of_steps_fits_the_budget_or_the_request_is_refused() {
    const PADDED: ModelDeclaration = ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 100_000,
            ..IDENTITY.options
        },
        steps: &[&PadBatch],
        ..IDENTITY
    };
    let model = PADDED.registration().unwrap();
    for limit in [900_000, 300_000] {
        let resources = Resources::new(&Handle::current(), limit);
        let policy = Policy::new(&model.spec, 16);
        let scheduler = Scheduler::start(&model, policy, &resources).await.unwrap();
        let answer = scheduler.infer(request(&model.spec, 1, 1.0)).await;
        match limit {
            300_000 => {
                let error = answer.unwrap_err();
                assert_eq!(error.status(), Status::Exhausted);
                let text = "the server cannot hold 400000 more bytes of requests and responses: the limit is 300000 bytes.";
                assert!(error.to_string().starts_with(text), "{error}");
            }
            _ => assert_eq!(answer.unwrap().outputs[0].1.rows(), 1),
        }
        assert_eq!(resources.budget.reserved(), 0);
    }
}
