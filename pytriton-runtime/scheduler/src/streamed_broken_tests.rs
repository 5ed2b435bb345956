//! Decoupled models with incorrect functions.

use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use ndarray::Array2;
use parking_lot::Mutex;
use pytriton_core::call::{
    Call, Execution, Instance, Parameter, Responses, closed, ended, executed, iterate,
};
use pytriton_core::error::Error;
use pytriton_core::model::CallMode;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{ParameterValue, Request};
use pytriton_core::testing::infer_request;
use tokio::time::{Instant, timeout};

use super::served::{MILLISECOND, TEST_TIMEOUT};
use super::streamed_tests::{STREAMED, collect_values, start, stream, values};

type Sender = Responses<Array2<f32>>;

fn one(value: f32) -> Array2<f32> {
    Array2::from_elem((1, 1), value)
}

/// Sends 40 responses concurrently, and 40 on other threads.
struct AtOnce;

impl Instance for AtOnce {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let parameter = <&Sender as Parameter>::read(call, 0)?;
            let responses = parameter.argument();
            let numbers = (0_u8..40).map(f32::from);
            join_all(numbers.clone().map(|number| responses.send(one(number)))).await;
            thread::scope(|scope| {
                for number in numbers {
                    scope.spawn(move || responses.blocking_send(one(40.0 + number)));
                }
            });
            closed(call, ended(call, Ok(()))).await
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrently_sent_responses_all_arrive() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(AtOnce)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    let (responses, error) = collect_values(stream(&served, 1, 1.0)).await;
    let mut responses: Vec<f32> = responses.into_iter().flatten().collect();
    responses.sort_by(f32::total_cmp);
    let expected: Vec<f32> = (0_u8..80).map(f32::from).collect();
    assert_eq!((responses, error), (expected, None));
}

/// Sends responses forever.
struct Endless;

impl Instance for Endless {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let responses = || {
            let values = values(call)?;
            let items = std::iter::repeat_with(|| values.clone());
            iterate(call, items, |item| call.outputs(item))
        };
        executed(responses())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn call_that_exceeds_its_limit_ends_while_it_streams() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Endless)),
        options: ModelOptions {
            call_options: STREAMED
                .options
                .call_options
                .max_call(Duration::from_micros(3_000)),
            dynamic_batching: false,
            ..STREAMED.options
        },
        ..STREAMED
    };
    let served = start(&declaration).await;
    let begun = Instant::now();
    let mut rounds = 0;
    while rounds < 100 && begun.elapsed() < TEST_TIMEOUT {
        let request = pytriton_core::testing::request(&served.spec, 1, 1.0);
        // The instance is not available while the last call hangs.
        let Ok(hearing) = served.scheduler.stream(request) else {
            tokio::time::sleep(MILLISECOND).await;
            continue;
        };
        let (_, error) = collect_values(hearing).await;
        assert!(error.is_some());
        rounds += 1;
    }
    assert_eq!(rounds, 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_that_does_not_read_holds_an_instance_only_for_the_call_limit() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Endless)),
        options: ModelOptions {
            call_options: STREAMED
                .options
                .call_options
                .max_call(Duration::from_micros(100_000)),
            ..STREAMED.options
        },
        ..STREAMED
    };
    let served = start(&declaration).await;
    let unread = stream(&served, 1, 1.0);
    tokio::time::sleep(300 * MILLISECOND).await;
    let back = async {
        while !served.scheduler.ready() {
            tokio::time::sleep(MILLISECOND).await;
        }
    };
    timeout(TEST_TIMEOUT, back).await.unwrap();
    drop(unread);
}

/// Fails after it has taken its senders.
struct Fails;

impl Instance for Fails {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut responses = <Vec<Sender> as Parameter>::read(call, 0)?.argument();
            responses.remove(0).end();
            drop(responses);
            closed(
                call,
                ended(call, Err::<(), _>(Error::internal("the weights are gone"))),
            )
            .await
        })
    }
}

#[tokio::test]
async fn function_error_reaches_requests_with_dropped_senders() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Fails)),
        call: CallMode::Raw,
        ..STREAMED
    };
    let served = start(&declaration).await;
    let both =
        join_all([stream(&served, 1, 1.0), stream(&served, 1, 2.0)].map(collect_values)).await;
    let text = "model 'Identity' failed: the weights are gone".to_owned();
    assert_eq!(both, [(Vec::new(), None), (Vec::new(), Some(text))]);
    let statistics = served.scheduler.statistics();
    assert_eq!(
        (
            statistics.totals.success.count,
            statistics.totals.fail.count
        ),
        (1, 1)
    );
    assert_eq!(statistics.responses[&0].fail.count, 1);
}

/// Returns a fatal error once its client has disconnected.
struct FailsLate;

impl Instance for FailsLate {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let responses = <Vec<Sender> as Parameter>::read(call, 0)?.argument();
            while !call.cancellation().is_cancelled() {
                tokio::time::sleep(MILLISECOND).await;
            }
            drop(responses);
            let lost = Error::unrecoverable("the device is lost");
            closed(call, ended(call, Err::<(), _>(lost))).await
        })
    }
}

#[tokio::test]
async fn fatal_error_is_noticed_after_the_client_has_disconnected() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(FailsLate)),
        call: CallMode::Raw,
        ..STREAMED
    };
    let served = start(&declaration).await;
    let mut responses = stream(&served, 1, 1.0);
    assert!(timeout(50 * MILLISECOND, responses.next()).await.is_err());
    assert!(served.scheduler.ready());
    drop(responses);
    let noticed = async {
        while served.scheduler.ready() {
            tokio::time::sleep(MILLISECOND).await;
        }
    };
    timeout(TEST_TIMEOUT, noticed).await.unwrap();
}

static KEPT: Mutex<Vec<Sender>> = Mutex::new(Vec::new());

/// Keeps its senders.
struct Keeps;

impl Instance for Keeps {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let responses = <Vec<Sender> as Parameter>::read(call, 0)?.argument();
            KEPT.lock().extend(responses);
            closed(call, ended(call, Ok(()))).await
        })
    }
}

#[tokio::test]
async fn kept_sender_holds_its_call_until_disconnect_or_timeout() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Keeps)),
        call: CallMode::Raw,
        options: ModelOptions {
            dynamic_batching: false,
            ..STREAMED.options
        },
        ..STREAMED
    };
    let served = start(&declaration).await;
    let mut first = stream(&served, 1, 1.0);
    assert!(timeout(50 * MILLISECOND, first.next()).await.is_err());
    drop(first);
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    let limited = ModelDeclaration {
        options: ModelOptions {
            call_options: declaration
                .options
                .call_options
                .max_call(Duration::from_micros(50_000)),
            ..declaration.options
        },
        ..declaration
    };
    let served = start(&limited).await;
    let (responses, error) = collect_values(stream(&served, 1, 1.0)).await;
    let error = error.unwrap();
    assert!(
        responses.is_empty() && error.contains("took longer than"),
        "{error}"
    );
}

/// Sends as many responses as its value, one every 10 ms.
struct Slowly;

impl Instance for Slowly {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let responses = || {
            let value = values(call)?[[0, 0]];
            let items = (0_u8..).map(f32::from).take_while(|number| *number < value);
            let items = items.map(|number| {
                thread::sleep(Duration::from_millis(10));
                one(number)
            });
            iterate(call, items, |item| call.outputs(item))
        };
        executed(responses())
    }
}

#[tokio::test]
async fn a_request_ends_before_the_next_call_of_its_batch() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Slowly)),
        call: CallMode::Request,
        ..STREAMED
    };
    let served = start(&declaration).await;
    let open = |value: f32| {
        let mut request = infer_request(1, value);
        let key = ParameterValue::Double(value.into());
        request.parameters.insert("key", key);
        let request = Request::check(&served.spec, request).unwrap();
        served.scheduler.stream(request).unwrap()
    };
    let (short, mut long) = (open(2.0), open(200.0));
    let (responses, error) = collect_values(short).await;
    assert_eq!((responses.len(), error), (2, None));
    // The other request has hardly begun.
    let answered = timeout(TEST_TIMEOUT, long.next()).await.unwrap();
    let answered = answered.unwrap().unwrap().outputs[0]
        .1
        .elements::<f32>()
        .unwrap()[0];
    assert!(answered < 1.0, "{answered}");
}
