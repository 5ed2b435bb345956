//! Creating and dropping states is limited like a call.

use std::thread;
use std::time::Duration;

use pytriton_core::call::{Call, Execution, Instance, Sequenced, Start, Started, Starts};
use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::SequenceId;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::status::Status;
use pytriton_core::testing::{IDENTITY, Identity};
use tokio::time::{Instant, sleep};

use crate::served::Served;

use super::table_tests::DIRECT;
use super::tests::flagged;

/// Three times the maximum duration of a call.
const LONG_CALL: Duration = Duration::from_millis(1500);
const LIMIT: Duration = Duration::from_millis(500);

/// Sequences whose states take long to create, or to drop.
const MADE: u64 = 100;
const DROPPED: u64 = 200;

struct Slow;

struct State(u64);

impl Drop for State {
    fn drop(&mut self) {
        if self.0 == DROPPED {
            thread::sleep(LONG_CALL);
        }
    }
}

impl Instance for Slow {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Identity.execute(call)
    }
}

impl Starts for Slow {
    fn start(&self, start: &Start<'_>) -> Started {
        let SequenceId::Number(number) = *start.sequence.id() else {
            panic!("numbers are asked for");
        };
        if number == MADE {
            thread::sleep(LONG_CALL);
        }
        Ok(Box::new(State(number)))
    }
}

async fn start() -> Served {
    let declaration = ModelDeclaration {
        options: ModelOptions {
            call_options: CallOptions::DEFAULT.max_call(Duration::from_micros(500_000)),
            max_sequence_idle_microseconds: 60_000_000,
            ..DIRECT
        },
        load: |context| Ok(Box::new(Sequenced::new(context, Slow))),
        ..IDENTITY
    };
    Served::start(&declaration, 64).await
}

/// Returns the result of a request and its duration.
async fn ask(served: &Served, id: u64, flags: &str) -> (Result<(), SchedulerError>, Duration) {
    let begun = Instant::now();
    let answer = served.infer(flagged(id, flags, 1.0)).await;
    (answer.map(drop), begun.elapsed())
}

/// Sends requests while the instance is stalled and after it has recovered.
async fn comes_back(served: &Served) {
    let (answer, took) = ask(served, 1, "SE").await;
    assert_eq!(answer.unwrap_err().status(), Status::Unavailable);
    assert!(took < LIMIT, "{took:?}");
    let begun = Instant::now();
    while ask(served, 1, "SE").await.0.is_err() {
        assert!(begun.elapsed() < 5 * LONG_CALL);
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn start_that_exceeds_the_call_limit_is_an_error() {
    let served = start().await;
    let (answer, took) = ask(&served, MADE, "S").await;
    assert_eq!(answer.unwrap_err().status(), Status::DeadlineExceeded);
    assert!((LIMIT..LONG_CALL).contains(&took), "{took:?}");
    comes_back(&served).await;
    assert!(matches!(
        ask(&served, MADE, "").await.0.unwrap_err(),
        SchedulerError::SequenceNotStarted { .. }
    ));
}

#[tokio::test]
async fn instance_stalled_in_drop_receives_no_requests() {
    let served = start().await;
    let (answer, took) = ask(&served, DROPPED, "SE").await;
    answer.unwrap();
    assert!(took < LIMIT, "{took:?}");
    // A request that already waits fails when the limit is exceeded.
    let (answer, took) = ask(&served, 1, "SE").await;
    assert_eq!(answer.unwrap_err().status(), Status::Unavailable);
    assert!(took < LONG_CALL, "{took:?}");
    comes_back(&served).await;
    // The same if a sequence is restarted.
    ask(&served, DROPPED, "S").await.0.unwrap();
    let (answer, took) = ask(&served, DROPPED, "S").await;
    assert_eq!(answer.unwrap_err().status(), Status::DeadlineExceeded);
    assert!((LIMIT..LONG_CALL).contains(&took), "{took:?}");
    comes_back(&served).await;
}
