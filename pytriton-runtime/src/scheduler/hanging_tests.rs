//! Functions that take longer than they may.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::Status;
use crate::model::ModelSpec;
use crate::registry::DynamicBatchingDeclaration;
use crate::registry::ModelDeclaration;
use crate::request::{InferRequest, ParameterValue, Parameters, Request, Response};
use crate::testing::{GATE, IDENTITY, TWO, infer_request};

use super::SchedulerError;
use super::{Policy, Resources, Scheduler};

const LIMITED: ModelDeclaration = ModelDeclaration {
    max_call_microseconds: 500_000,
    ..IDENTITY
};

const TOO_LONG: &str = "model 'Identity': the call took longer than 0.5 s";
const MATE: &str =
    "model 'Identity': instance 0 cannot answer the request, another call takes longer than 0.5 s";
const REFUSED: &str = "model 'Identity' has no instance that could run the request, all are in calls that take longer than 0.5 s";

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(10);

struct Served {
    spec: Arc<ModelSpec>,
    scheduler: Arc<Scheduler>,
}

type Answer = Result<Response, SchedulerError>;

impl Served {
    async fn start(declaration: &ModelDeclaration) -> Self {
        let model = declaration.registration().unwrap();
        let scheduler = Scheduler::start(
            &model,
            Policy::new(&model.spec, 4),
            &Resources::new(&Handle::current(), usize::MAX),
        )
        .await;
        let scheduler = Arc::new(scheduler.unwrap());
        Self {
            spec: model.spec,
            scheduler,
        }
    }

    /// Asks with one row of a value, and parameters of its own.
    fn ask(&self, value: f32) -> JoinHandle<Answer> {
        let mut parameters = Parameters::default();
        parameters.insert("value", ParameterValue::Double(value.into()));
        let request = InferRequest {
            parameters,
            ..infer_request(1, value)
        };
        let request = Request::check(&self.spec, request).unwrap();
        let scheduler = Arc::clone(&self.scheduler);
        tokio::spawn(async move { timeout(LONG, scheduler.infer(request)).await.unwrap() })
    }

    /// Asks so that an instance has it before the next is asked.
    async fn ask_and_wait(&self, value: f32) -> JoinHandle<Answer> {
        let asked = self.ask(value);
        tokio::task::yield_now().await;
        self.until(|scheduler| scheduler.statistics().pending == 0)
            .await;
        asked
    }

    async fn until(&self, condition: impl Fn(&Scheduler) -> bool) {
        let begun = Instant::now();
        while !condition(&self.scheduler) {
            assert!(begun.elapsed() < LONG, "{:?}", self.scheduler);
            sleep(Duration::from_millis(1)).await;
        }
    }

    async fn is_well(&self) {
        self.until(Scheduler::ready).await;
        self.ask(1.0).await.unwrap().unwrap();
    }
}

#[track_caller]
fn failed(answer: Result<Answer, tokio::task::JoinError>, text: &str, status: Status) {
    let error = answer.unwrap().unwrap_err();
    assert_eq!((error.to_string().as_str(), error.status()), (text, status));
}

#[tokio::test]
async fn a_model_that_hangs_answers_is_not_ready_and_refuses_until_the_call_returns() {
    let served = Served::start(&LIMITED).await;
    let gate = GATE.lock().await;
    let hanging = served.ask_and_wait(-5.0).await;
    let waiting = served.ask(1.0);
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    failed(waiting.await, REFUSED, Status::Unavailable);
    failed(served.ask(1.0).await, REFUSED, Status::Unavailable);
    let statistics = served.scheduler.statistics();
    assert_eq!((statistics.execution_count, statistics.fail.count), (1, 3));
    assert_eq!(statistics.failures, [0, 0, 3, 0]);
    assert!(statistics.batches[&1].compute_infer.ns >= 500_000_000);
    drop(gate);
    served.is_well().await;
    let statistics = served.scheduler.statistics();
    assert_eq!((statistics.execution_count, statistics.fail.count), (2, 3));
}

#[tokio::test]
async fn other_instances_go_on() {
    let two = ModelDeclaration {
        instances: TWO,
        ..LIMITED
    };
    let served = Served::start(&two).await;
    let gate = GATE.lock().await;
    failed(served.ask(-5.0).await, TOO_LONG, Status::DeadlineExceeded);
    for _ in 0..5 {
        served.is_well().await;
    }
    failed(served.ask(-5.0).await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    drop(gate);
    served.is_well().await;
}

#[tokio::test]
async fn of_a_batch_that_hangs_what_is_done_is_answered_and_what_is_not_begun_is_refused() {
    let alone = ModelDeclaration {
        max_batch_size: 4,
        dynamic_batching: Some(DynamicBatchingDeclaration {
            max_queue_delay_microseconds: 10_000_000,
            ..IDENTITY.dynamic_batching.unwrap()
        }),
        by_parameters: true,
        ..LIMITED
    };
    let served = Served::start(&alone).await;
    let gate = GATE.lock().await;
    let answers = [2.0, -3.0, -5.0, 3.0].map(|value| served.ask(value));
    let [done, wrong, hanging, after] = answers;
    done.await.unwrap().unwrap();
    let wrong = wrong.await.unwrap().unwrap_err();
    assert_eq!(wrong.to_string(), "model 'Identity' failed: asked to fail");
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    failed(after.await, MATE, Status::Unavailable);
    assert_eq!(served.scheduler.statistics().failures, [0, 0, 3, 0]);
    drop(gate);
    served.until(Scheduler::ready).await;
}

#[tokio::test]
async fn an_async_call_is_given_up_without_its_instance() {
    let served = Served::start(&LIMITED).await;
    for _ in 0..2 {
        let begun = Instant::now();
        failed(served.ask(-7.0).await, TOO_LONG, Status::DeadlineExceeded);
        assert!(begun.elapsed() >= Duration::from_millis(500));
        assert!(served.scheduler.ready());
        served.is_well().await;
    }
    // What it has when it is given up is dropped like anything of the user's.
    let bombed = served.ask(-8.0).await.unwrap().unwrap_err();
    assert!(bombed.to_string().contains("panicked"), "{bombed}");
    served.is_well().await;
}

#[tokio::test]
async fn an_async_call_that_cannot_be_given_up_in_time_hangs() {
    let served = Served::start(&LIMITED).await;
    failed(served.ask(-9.0).await, TOO_LONG, Status::DeadlineExceeded);
    assert!(!served.scheduler.ready());
    served.is_well().await;
}

#[tokio::test]
async fn what_an_instance_has_beside_a_call_that_hangs_is_answered_too() {
    let two = ModelDeclaration {
        batches_in_flight: 3,
        ..LIMITED
    };
    let served = Served::start(&two).await;
    let gate = GATE.lock().await;
    let beside = [
        served.ask_and_wait(-7.0).await,
        served.ask_and_wait(-7.0).await,
    ];
    let hanging = served.ask_and_wait(-5.0).await;
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    for beside in beside {
        failed(beside.await, MATE, Status::Unavailable);
    }
    assert!(!served.scheduler.ready());
    drop(gate);
    served.is_well().await;
}

#[tokio::test]
async fn a_call_that_hangs_holds_back_no_response_of_later_batches() {
    let ordered = ModelDeclaration {
        instances: TWO,
        dynamic_batching: Some(DynamicBatchingDeclaration {
            preserve_ordering: true,
            ..IDENTITY.dynamic_batching.unwrap()
        }),
        ..LIMITED
    };
    let served = Served::start(&ordered).await;
    let gate = GATE.lock().await;
    let hanging = served.ask_and_wait(-5.0).await;
    let later = served.ask_and_wait(1.0).await;
    later.await.unwrap().unwrap();
    assert!(hanging.is_finished());
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    drop(gate);
    served.is_well().await;
}

#[tokio::test]
async fn nobody_waits_for_a_call_that_hangs_when_the_server_stops() {
    let served = Served::start(&LIMITED).await;
    let gate = GATE.lock().await;
    let hanging = served.ask_and_wait(-5.0).await;
    let begun = Instant::now();
    assert!(served.scheduler.drain(begun + LONG).await);
    assert!(begun.elapsed() < LONG / 2);
    failed(hanging.await, TOO_LONG, Status::DeadlineExceeded);
    drop(gate);
}
