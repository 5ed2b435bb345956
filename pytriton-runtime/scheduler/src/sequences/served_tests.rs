//! Sequences of real models.

use std::time::Duration;

use ndarray::Array2;
use pytriton_core::call::{Call, Execution, Instance};
use pytriton_core::model::InstanceGroup;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::InferRequest;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::testing::{GATE, TWO};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use crate::served::{MILLISECOND, Outcome, Served};

use super::table_tests::{DIRECT, oldest};
use super::tests::{ONE, flagged, sequences};

/// Returns the index of its instance.
struct Numbered(u32);

impl Instance for Numbered {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let number = f32::from(u16::try_from(self.0).unwrap());
        Box::pin(async move { call.outputs(Array2::from_elem((1, 1), number)) })
    }
}

async fn start(declaration: &ModelDeclaration) -> Served {
    Served::start(declaration, 64).await
}

fn value(answer: Outcome) -> Result<f32, SchedulerError> {
    Ok(answer?.outputs[0].1.elements::<f32>().unwrap()[0])
}

async fn infer(served: &Served, request: InferRequest) -> Result<f32, SchedulerError> {
    value(served.infer(request).await)
}

#[tokio::test]
async fn all_requests_of_a_sequence_are_served_by_one_instance() {
    for strategy in [DIRECT, oldest(2)] {
        let served = start(&ModelDeclaration {
            options: ModelOptions {
                instances: const { &[InstanceGroup::cpu(3)] },
                ..sequences(strategy, 2).options
            },
            load: |context| Ok(Box::new(Numbered(context.instance()))),
            ..sequences(strategy, 2)
        })
        .await;
        for id in 1..=3 {
            infer(&served, flagged(id, "S", 0.0)).await.unwrap();
        }
        for flags in ["", "", "E"] {
            for (id, instance) in [(1, 0.0), (2, 1.0), (3, 2.0)] {
                let answer = infer(&served, flagged(id, flags, 0.0)).await;
                assert_eq!(answer.unwrap(), instance);
            }
        }
        let totals = served.scheduler.totals();
        assert_eq!((totals.inference_count, totals.pending), (12, 0));
    }
}

#[tokio::test]
async fn disconnected_client_ends_its_sequence_before_the_cancelled_request() {
    let served = start(&sequences(DIRECT, 2)).await;
    // Takes 50 ms.
    let first = served.spawn(flagged(1, "S", -4.0));
    sleep(10 * MILLISECOND).await;
    let back = served.spawn(flagged(1, "", 2.0));
    yield_now().await;
    let other = served.spawn(flagged(1, "E", 3.0));
    yield_now().await;
    back.abort();
    assert_eq!(value(first.await.unwrap()), Ok(-4.0));
    let cancelled = other.await.unwrap().unwrap_err();
    assert!(matches!(
        cancelled,
        SchedulerError::SequenceCancelled { .. }
    ));
    assert_eq!(cancelled.status(), pytriton_core::status::Status::Cancelled);
    assert!(infer(&served, flagged(1, "", 0.0)).await.is_err());
    assert_eq!(infer(&served, flagged(1, "SE", 7.0)).await, Ok(7.0));
}

#[tokio::test]
async fn sequences_of_a_stalled_instance_end() {
    let served = start(&ModelDeclaration {
        options: ModelOptions {
            instances: TWO,
            call_options: ONE
                .options
                .call_options
                .max_call(Duration::from_micros(200_000)),
            ..ONE.options
        },
        ..ONE
    })
    .await;
    let gate = GATE.lock().await;
    infer(&served, flagged(1, "S", 1.0)).await.unwrap();
    infer(&served, flagged(2, "S", 2.0)).await.unwrap();
    let hanging = served.spawn(flagged(1, "", -5.0));
    sleep(10 * MILLISECOND).await;
    let behind = served.spawn(flagged(1, "", 1.0));
    let too_long = hanging.await.unwrap().unwrap_err();
    assert_eq!(
        too_long.status(),
        pytriton_core::status::Status::DeadlineExceeded
    );
    let lost = behind.await.unwrap().unwrap_err();
    let expected =
        "sequence 1 of model 'Identity' has ended: its instance does not accept requests";
    assert_eq!(lost.to_string(), expected);
    let unknown = infer(&served, flagged(1, "", 1.0)).await.unwrap_err();
    assert!(matches!(unknown, SchedulerError::SequenceNotStarted { .. }));
    assert_eq!(infer(&served, flagged(2, "E", 3.0)).await, Ok(3.0));
    assert_eq!(infer(&served, flagged(1, "SE", 4.0)).await, Ok(4.0));
    drop(gate);
}

#[tokio::test]
async fn waiting_requests_fail_when_the_model_is_removed() {
    let served = start(&ONE).await;
    let first = served.spawn(flagged(1, "S", -4.0));
    sleep(10 * MILLISECOND).await;
    let waiting = served.spawn(flagged(2, "S", 2.0));
    yield_now().await;
    let deadline = Instant::now() + Duration::from_secs(5);
    assert!(served.scheduler.drain(deadline).await);
    assert_eq!(value(first.await.unwrap()), Ok(-4.0));
    assert_eq!(value(waiting.await.unwrap()), Ok(2.0));
    let late = infer(&served, flagged(1, "E", 0.0)).await;
    assert_eq!(late, Err(SchedulerError::Stopping));
}
