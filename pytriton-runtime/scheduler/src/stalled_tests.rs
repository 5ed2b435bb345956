//! Functions that exceed their time limit.

use std::time::Duration;

use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{InferRequest, ParameterValue, Parameters};
use pytriton_core::status::Status;
use pytriton_core::testing::{GATE, IDENTITY, TWO, infer_request};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::served::{Outcome, Served, TEST_TIMEOUT};

const LIMITED: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        call_options: CallOptions::DEFAULT.max_call(Duration::from_micros(500_000)),
        ..IDENTITY.options
    },
    ..IDENTITY
};

const TOO_LONG: &str = "model 'Identity': the call took longer than 0.5 s";
const MATE: &str = "model 'Identity': instance 0 cannot execute the request, because another call takes longer than 0.5 s";
const REFUSED: &str = "no instance of model 'Identity' can execute the request: all are in calls that take longer than 0.5 s";

async fn start(declaration: &ModelDeclaration) -> Served {
    Served::start(declaration, 4).await
}

/// Sends a request with one row and unique parameters.
fn ask(served: &Served, value: f32) -> JoinHandle<Outcome> {
    let mut parameters = Parameters::default();
    parameters.insert("value", ParameterValue::Double(value.into()));
    served.spawn(InferRequest {
        parameters,
        ..infer_request(1, value)
    })
}

/// Sends a request and waits until an instance has it.
async fn ask_and_wait(served: &Served, value: f32) -> JoinHandle<Outcome> {
    let asked = ask(served, value);
    tokio::task::yield_now().await;
    served
        .until(|served| served.scheduler.totals().pending == 0)
        .await;
    asked
}

async fn is_ready(served: &Served) {
    served.until(|served| served.scheduler.ready()).await;
}

async fn is_well(served: &Served) {
    is_ready(served).await;
    ask(served, 1.0).await.unwrap().unwrap();
}

#[track_caller]
fn failed(answer: Result<Outcome, tokio::task::JoinError>, text: &str, status: Status) {
    let error = answer.unwrap().unwrap_err();
    assert_eq!((error.to_string().as_str(), error.status()), (text, status));
}

#[tokio::test]
async fn stalled_model_refuses_requests_until_the_call_returns() {
    let served = start(&LIMITED).await;
    let gate = GATE.lock().await;
    let hanging = ask_and_wait(&served, -5.0).await;
    let waiting = ask(&served, 1.0);
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    failed(waiting.await, REFUSED, Status::Unavailable);
    failed(ask(&served, 1.0).await, REFUSED, Status::Unavailable);
    let statistics = served.scheduler.statistics();
    assert_eq!(
        (
            statistics.totals.execution_count,
            statistics.totals.fail.count
        ),
        (1, 3)
    );
    assert_eq!(statistics.totals.failures, [0, 0, 3, 0]);
    assert!(statistics.batches[&1].compute_infer.ns >= 500_000_000);
    drop(gate);
    is_well(&served).await;
    let totals = served.scheduler.totals();
    assert_eq!((totals.execution_count, totals.fail.count), (2, 3));
}

#[tokio::test]
async fn stalled_instance_does_not_affect_others() {
    let two = ModelDeclaration {
        options: ModelOptions {
            instances: TWO,
            ..LIMITED.options
        },
        ..LIMITED
    };
    let served = start(&two).await;
    let gate = GATE.lock().await;
    failed(ask(&served, -5.0).await, TOO_LONG, Status::DeadlineExceeded);
    for _ in 0..5 {
        is_well(&served).await;
    }
    failed(ask(&served, -5.0).await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    drop(gate);
    is_well(&served).await;
}

#[tokio::test]
async fn stalled_batch_keeps_completed_responses_and_refuses_the_rest() {
    let alone = ModelDeclaration {
        options: ModelOptions {
            max_batch_size: 4,
            dynamic_batching: true,
            max_queue_delay_microseconds: 10_000_000,
            ..LIMITED.options
        },
        by_parameters: true,
        ..LIMITED
    };
    let served = start(&alone).await;
    let gate = GATE.lock().await;
    let responses = [2.0, -3.0, -5.0, 3.0].map(|value| ask(&served, value));
    let [done, wrong, hanging, after] = responses;
    done.await.unwrap().unwrap();
    let wrong = wrong.await.unwrap().unwrap_err();
    assert_eq!(wrong.to_string(), "model 'Identity' failed: asked to fail");
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    failed(after.await, MATE, Status::Unavailable);
    assert_eq!(served.scheduler.totals().failures, [0, 0, 3, 0]);
    drop(gate);
    is_ready(&served).await;
}

#[tokio::test]
async fn timed_out_async_call_does_not_stall_its_instance() {
    let served = start(&LIMITED).await;
    for _ in 0..2 {
        let begun = Instant::now();
        failed(ask(&served, -7.0).await, TOO_LONG, Status::DeadlineExceeded);
        assert!(begun.elapsed() >= Duration::from_millis(500));
        assert!(served.scheduler.ready());
        is_well(&served).await;
    }
    // A state dropped after the call was abandoned may panic like any user code.
    let bombed = ask(&served, -8.0).await.unwrap().unwrap_err();
    assert!(bombed.to_string().contains("panicked"), "{bombed}");
    is_well(&served).await;
}

#[tokio::test]
async fn async_call_that_blocks_stalls_its_instance() {
    let served = start(&LIMITED).await;
    failed(ask(&served, -9.0).await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    is_well(&served).await;
}

#[tokio::test]
async fn other_requests_of_a_stalled_instance_receive_responses() {
    let two = ModelDeclaration {
        options: ModelOptions {
            call_options: LIMITED.options.call_options.batches_in_flight(3),
            ..LIMITED.options
        },
        ..LIMITED
    };
    let served = start(&two).await;
    let gate = GATE.lock().await;
    let others = [
        ask_and_wait(&served, -7.0).await,
        ask_and_wait(&served, -7.0).await,
    ];
    let hanging = ask_and_wait(&served, -5.0).await;
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    for other in others {
        failed(other.await, MATE, Status::Unavailable);
    }
    assert!(!served.scheduler.ready());
    drop(gate);
    is_well(&served).await;
}

#[tokio::test]
async fn stalled_call_does_not_delay_responses_of_later_batches() {
    let ordered = ModelDeclaration {
        options: ModelOptions {
            instances: TWO,
            dynamic_batching: true,
            preserve_ordering: true,
            ..LIMITED.options
        },
        ..LIMITED
    };
    let served = start(&ordered).await;
    let gate = GATE.lock().await;
    let hanging = ask_and_wait(&served, -5.0).await;
    let later = ask_and_wait(&served, 1.0).await;
    later.await.unwrap().unwrap();
    assert!(hanging.is_finished());
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    drop(gate);
    is_well(&served).await;
}

#[tokio::test]
async fn shutdown_does_not_wait_for_a_stalled_call() {
    let served = start(&LIMITED).await;
    let gate = GATE.lock().await;
    let hanging = ask_and_wait(&served, -5.0).await;
    let begun = Instant::now();
    assert!(served.scheduler.drain(begun + TEST_TIMEOUT).await);
    assert!(begun.elapsed() < TEST_TIMEOUT / 2);
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    drop(gate);
}
