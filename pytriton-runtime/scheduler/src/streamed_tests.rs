//! Decoupled models.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use futures_util::StreamExt;
use futures_util::future::join_all;
use ndarray::{Array2, Ix2};
use pytriton_core::call::{
    Call, Execution, Instance, ModelError, Outputs, Parameter, Responses, closed, ended, executed,
    flow, iterate,
};
use pytriton_core::model::CallMode;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::testing::{IDENTITY, request};
use tokio::time::{Instant, timeout};

use super::response_stream::ResponseStream;
use super::served::{MILLISECOND, Served, TEST_TIMEOUT};

/// Requests wait a little for each other.
pub(super) const STREAMED: ModelDeclaration = ModelDeclaration {
    decoupled: true,
    options: ModelOptions {
        max_queue_delay_microseconds: 20_000,
        ..IDENTITY.options
    },
    ..IDENTITY
};

pub(super) async fn start(declaration: &ModelDeclaration) -> Served {
    Served::start(declaration, 64).await
}

pub(super) fn stream(served: &Served, rows: usize, value: f32) -> ResponseStream {
    let request = request(&served.spec, rows, value);
    served.scheduler.stream(request).unwrap()
}

/// Returns the values of all responses, and the error with which they end.
pub(super) async fn collect_values(mut hearing: ResponseStream) -> (Vec<Vec<f32>>, Option<String>) {
    let all = async {
        let mut responses = Vec::new();
        while let Some(answer) = hearing.next().await {
            match answer {
                Ok(answer) => {
                    let values = answer.outputs[0].1.elements::<f32>().unwrap();
                    responses.push(values.into_owned());
                }
                Err(error) => {
                    assert_eq!(hearing.next().await, None);
                    return (responses, Some(error.to_string()));
                }
            }
        }
        assert_eq!(hearing.next().await, None);
        (responses, None)
    };
    timeout(TEST_TIMEOUT, all).await.unwrap()
}

pub(super) fn values(call: &Call<'_>) -> Result<Array2<f32>, ModelError> {
    Ok(call.array::<f32, Ix2>(0)?.into_owned())
}

/// Sends as many responses as the largest value. Each contains the values plus a thousand times its
/// index.
struct Repeat;

impl Instance for Repeat {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let responses = || {
            let values = values(call)?;
            let most = values.iter().copied().fold(0.0, f32::max);
            let items = (0..)
                .map(|number| number as f32)
                .take_while(|number| *number < most)
                .map(|number| values.clone() + number * 1000.0);
            iterate(call, items, |item| call.outputs(item))
        };
        executed(responses())
    }
}

#[tokio::test]
async fn each_item_is_split_by_request() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Repeat)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    for requests in [
        &[(1, 3.0)][..],
        &[(2, 1.0), (1, 2.0)],
        &[(3, 2.0), (1, 40.0), (4, 0.5)],
        &[(1, 0.0)],
    ] {
        let hearings = requests
            .iter()
            .map(|&(rows, value)| stream(&served, rows, value));
        let hearings: Vec<ResponseStream> = hearings.collect();
        let most = requests.iter().map(|(_, value)| *value).fold(0.0, f32::max);
        let answered = join_all(hearings.into_iter().map(collect_values)).await;
        for (&(rows, value), (responses, error)) in requests.iter().zip(answered) {
            let expected = (0..).map(|number| number as f32);
            let expected = expected.take_while(|number| *number < most);
            let expected = expected.map(|number| vec![value + number * 1000.0; rows]);
            assert_eq!((responses, error), (expected.collect::<Vec<_>>(), None));
        }
    }
    let statistics = served.scheduler.statistics();
    assert_eq!(
        (
            statistics.totals.success.count,
            statistics.totals.fail.count
        ),
        (7, 0)
    );
    assert_eq!(statistics.responses[&0].success.count, 6);
    assert_eq!(statistics.responses[&39].success.count, 3);
}

/// A stream with waiting items that fails after as many responses as the first value, or panics if
/// that value is negative.
struct Fail;

impl Instance for Fail {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let values = values(call)?;
            let at = values[[0, 0]];
            let items = futures_util::stream::unfold(0.0, move |number| {
                let values = values.clone();
                async move {
                    tokio::time::sleep(MILLISECOND).await;
                    assert!(number < at.abs() || at > 0.0, "no answer {number}");
                    let item = match number < at.abs() {
                        true => Ok(values),
                        false => Err(format!("no answer {number}")),
                    };
                    Some((item, number + 1.0))
                }
            });
            flow(call, items, |item| call.outputs(item)).await
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn failure_ends_only_the_requests_of_its_batch() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Fail)),
        options: ModelOptions {
            call_options: STREAMED.options.call_options.batches_in_flight(4),
            dynamic_batching: false,
            ..STREAMED.options
        },
        ..STREAMED
    };
    let served = start(&declaration).await;
    let table = [
        (1.0, 1),
        (2.0, 2),
        (-1.0, 1),
        (17.0, 17),
        (-2.0, 2),
        (40.0, 40),
    ];
    let all = join_all(table.map(|(at, _)| collect_values(stream(&served, 1, at)))).await;
    for ((at, count), (responses, error)) in table.into_iter().zip(all) {
        let how = if at < 0.0 { "panicked" } else { "failed" };
        let expected = format!("model 'Identity' {how}: no answer {}", at.abs());
        assert_eq!(responses, vec![vec![at]; count]);
        assert_eq!(error, Some(expected));
    }
    assert_eq!(served.scheduler.totals().fail.count, 6);
}

/// The number of responses of a few bytes that a channel can hold.
const CAPACITY: usize = 127;

/// Counts the responses that were sent.
static REACHED: AtomicU32 = AtomicU32::new(0);

struct Endless;

impl Instance for Endless {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let responses = || {
            let values = values(call)?;
            let items = std::iter::repeat_with(|| {
                REACHED.fetch_add(1, Ordering::SeqCst);
                values.clone()
            });
            iterate(call, items, |item| call.outputs(item))
        };
        executed(responses())
    }
}

#[tokio::test]
async fn a_function_runs_until_the_channel_is_full_and_ends_with_its_receiver() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Endless)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    let mut slow = stream(&served, 1, 1.0);
    let cancelled = stream(&served, 1, 2.0);
    timeout(TEST_TIMEOUT, slow.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let reached = || REACHED.load(Ordering::SeqCst) as usize;
    while reached() < CAPACITY + 1 {
        tokio::time::sleep(MILLISECOND).await;
    }
    tokio::time::sleep(50 * MILLISECOND).await;
    assert!(reached() <= CAPACITY + 2, "{}", reached());
    // If one request of a batch is cancelled, the others continue.
    drop(cancelled);
    for _ in 0..3 * CAPACITY {
        timeout(TEST_TIMEOUT, slow.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
    drop(slow);
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    let totals = served.scheduler.totals();
    assert_eq!((totals.success.count, totals.fail.count), (2, 0));
}

#[tokio::test]
async fn abandoned_or_late_stream_receives_only_its_error() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Endless)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    let mut open = stream(&served, 1, 1.0);
    timeout(TEST_TIMEOUT, open.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let waits = stream(&served, 1, 1.0);
    served.scheduler.abandon();
    let (_, error) = collect_values(open).await;
    assert_eq!(error, Some(SchedulerError::Stopping.to_string()));
    assert_eq!(
        collect_values(waits).await,
        (Vec::new(), Some(SchedulerError::Stopping.to_string()))
    );
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    assert_eq!(
        served
            .scheduler
            .stream(request(&served.spec, 1, 1.0))
            .unwrap_err(),
        SchedulerError::Stopping
    );
}

/// Sends as many unique responses to each request as its value, on a separate thread. A value of 13
/// panics after three.
struct Apart;

impl Instance for Apart {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            type Sender = Responses<Array2<f32>>;
            let responses = <Vec<Sender> as Parameter>::read(call, 0)?.argument();
            for (request, responses) in call.requests().iter().zip(responses) {
                let values = request.inputs()[0]
                    .as_ref()
                    .map(|tensor| tensor.elements::<f32>());
                let value = values.unwrap().unwrap()[0];
                thread::spawn(move || {
                    let numbers = (0_u16..).map(f32::from);
                    for number in numbers.take_while(|number| *number < value) {
                        assert!(value != 13.0 || number < 3.0);
                        let answer = value * 1000.0 + number;
                        if responses
                            .blocking_send(Array2::from_elem((1, 1), answer))
                            .is_err()
                        {
                            return;
                        }
                    }
                });
            }
            closed(call, ended(call, Ok(()))).await
        })
    }
}

#[tokio::test]
async fn each_request_has_its_own_sender() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Apart)),
        call: CallMode::Raw,
        outputs: <Array2<f32> as Outputs>::DECLARATIONS,
        ..STREAMED
    };
    let served = start(&declaration).await;
    let counts = [0_u16, 1, 2, 100, 13, 0, 17];
    let hearings: Vec<ResponseStream> = counts
        .iter()
        .map(|&count| stream(&served, 1, count.into()))
        .collect();
    let all = join_all(hearings.into_iter().map(collect_values)).await;
    for (count, (responses, error)) in counts.into_iter().zip(all) {
        let sent = if count == 13 { 3 } else { count };
        let expected = (0..sent).map(|number| vec![f32::from(count) * 1000.0 + f32::from(number)]);
        assert_eq!(responses, expected.collect::<Vec<_>>());
        let text = "model 'Identity' panicked: a thread of the function's".to_owned();
        assert_eq!(error, (count == 13).then_some(text));
    }
    // The responses are counted when the last request has ended.
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    let totals = served.scheduler.totals();
    assert_eq!((totals.success.count, totals.fail.count), (6, 1));
}

/// Sends one response and then waits forever. Reports when it is dropped.
struct Never;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

impl Instance for Never {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let values = values(call)?;
            let dropped = Dropped;
            let items = futures_util::stream::once(async { values })
                .chain(futures_util::stream::pending())
                .inspect(move |_| _ = &dropped);
            flow(call, items, |item| call.outputs(item)).await
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_waiting_stream_ends_with_its_last_receiver() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Never)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    let (mut one, mut two) = (stream(&served, 1, 1.0), stream(&served, 1, 2.0));
    for hearing in [&mut one, &mut two] {
        let answer = timeout(TEST_TIMEOUT, hearing.next()).await.unwrap();
        answer.unwrap().unwrap();
    }
    drop(one);
    assert!(timeout(50 * MILLISECOND, two.next()).await.is_err());
    assert_eq!(DROPPED.load(Ordering::SeqCst), 0);
    drop(two);
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn sent_responses_arrive_after_the_model_is_removed() {
    let declaration = ModelDeclaration {
        load: |_| Ok(Box::new(Repeat)),
        ..STREAMED
    };
    let served = start(&declaration).await;
    let hearing = stream(&served, 1, 3.0);
    assert!(served.scheduler.drain(Instant::now() + TEST_TIMEOUT).await);
    drop(served);
    let (responses, error) = collect_values(hearing).await;
    assert_eq!((responses.len(), error), (3, None));
}
