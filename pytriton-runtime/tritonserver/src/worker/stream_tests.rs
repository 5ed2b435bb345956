//! Tests of decoupled models, from tritonserver's side of a session.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ndarray::Ix2;
use pytriton_backend::Code;
use pytriton_backend::protocol::ResponseContents;
use pytriton_backend::session::{BatchMessage, Client, SessionError};
use pytriton_core::call::{Call, Execution, Instance, executed, flow, iterate};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::IDENTITY;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_blocking;

use super::tests::{connect, hand_over, start};

/// The time within which a function must notice a cancellation.
const HEARD: Duration = Duration::from_secs(5);

/// Responds with its values as often as the first value specifies; forever if it is negative.
struct Repeat;

impl Instance for Repeat {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let answers = || {
            let values = call.array::<f32, Ix2>(0)?.into_owned();
            let first = values[[0, 0]];
            let numbers = (0..).map(|number| number as f32);
            let numbers = numbers.take_while(|number| first < 0.0 || *number < first);
            let items = numbers.map(|_| {
                thread::sleep(Duration::from_millis(1));
                values.clone()
            });
            iterate(call, items, |item| call.outputs(item))
        };
        executed(answers())
    }
}

const REPEAT: ModelDeclaration = ModelDeclaration {
    decoupled: true,
    load: |_| Ok(Box::new(Repeat)),
    ..IDENTITY
};

/// The results of the requests of a batch: the number of responses and the end.
type Outcomes = Vec<(u32, Result<(), (Code, String)>)>;

/// Receives the responses of a batch until all requests have ended. `on_response` is called for
/// each response that is not an end.
fn receive(
    client: &Client,
    requests: usize,
    mut on_response: impl FnMut(u32, u32),
) -> Result<Outcomes, SessionError> {
    let mut receiver = client.receiver();
    let (mut counts, mut ends) = (vec![0; requests], vec![None; requests]);
    let mut description = Vec::new();
    while ends.iter().any(Option::is_none) {
        let Some(BatchMessage::Response(answer)) = receiver.next_message()? else {
            receiver.wait(None)?;
            continue;
        };
        let request = answer.request as usize;
        assert_eq!(ends[request], None, "an answer behind the last");
        assert_eq!(answer.sequence, counts[request]);
        if answer.description.len == 0 {
            assert!(answer.last);
            ends[request] = Some(Ok(()));
            continue;
        }
        let data = receiver.read(&answer, &mut description)?;
        match ResponseContents::read(&description, data.len(), 1)? {
            Err(failure) => {
                assert!(answer.last);
                ends[request] = Some(Err((failure.code, failure.message)));
            }
            Ok(contents) => {
                assert!(!answer.last && contents.outputs().count() == 1);
                counts[request] += 1;
                on_response(answer.request, answer.sequence);
            }
        }
    }
    let ends = ends.into_iter().flatten();
    Ok(counts.into_iter().zip(ends).collect())
}

/// The number of the next batch. The memory of a completed batch may be released slightly later.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Sends a batch with one request per value.
async fn ask(client: Client, values: &'static [f32]) -> (Outcomes, Client) {
    let batch = NEXT.fetch_add(1, Ordering::Relaxed);
    spawn_blocking(move || {
        hand_over(&client, batch, values).unwrap();
        let outcomes = receive(&client, values.len(), |_, _| {}).unwrap();
        (outcomes, client)
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn each_request_receives_all_its_responses_and_an_end() {
    for batches_in_flight in [1, 4] {
        let model = ModelDeclaration {
            options: ModelOptions {
                call_options: REPEAT
                    .options
                    .call_options
                    .batches_in_flight(batches_in_flight),
                ..REPEAT.options
            },
            ..REPEAT
        };
        let (worker, _folder) = start(&[&model]).await;
        let client = connect(&worker, "Identity", None).await.unwrap();
        let (outcomes, client) = ask(client, &[3.0, 7.0]).await;
        assert_eq!(outcomes, [(3, Ok(())), (3, Ok(()))]);
        let (outcomes, _client) = ask(client, &[0.0]).await;
        assert_eq!(outcomes, [(0, Ok(()))]);
    }
}

#[tokio::test]
async fn a_cancelled_request_ends_without_affecting_others() {
    for batches_in_flight in [1, 4] {
        let model = ModelDeclaration {
            options: ModelOptions {
                call_options: REPEAT
                    .options
                    .call_options
                    .batches_in_flight(batches_in_flight),
                ..REPEAT.options
            },
            ..REPEAT
        };
        let (worker, _folder) = start(&[&model]).await;
        let client = connect(&worker, "Identity", None).await.unwrap();
        let outcomes = spawn_blocking(move || {
            hand_over(&client, 0, &[-1.0, 1.0]).unwrap();
            receive(&client, 2, |request, sequence| match (request, sequence) {
                (0, 3) => client.cancel(0, 0).unwrap(),
                (1, 20) => client.cancel(0, 1).unwrap(),
                _ => {}
            })
        });
        let outcomes = outcomes.await.unwrap().unwrap();
        let [(first, one), (second, two)] = &outcomes[..] else {
            panic!("{outcomes:?}");
        };
        assert!(*first >= 4 && *second >= 21, "{outcomes:?}");
        for end in [one, two] {
            assert_eq!(end.as_ref().unwrap_err().0, Code::Cancelled);
        }
    }
}

/// Never responds.
struct Silent;

impl Instance for Silent {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        let items = futures_util::stream::pending::<ndarray::Array2<f32>>();
        Box::pin(flow(call, items, |item| call.outputs(item)))
    }

    fn is_async(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_stream_is_dropped_while_it_waits() {
    for batches_in_flight in [1, 4] {
        let model = ModelDeclaration {
            options: ModelOptions {
                call_options: REPEAT
                    .options
                    .call_options
                    .batches_in_flight(batches_in_flight),
                ..REPEAT.options
            },
            load: |_| Ok(Box::new(Silent)),
            ..REPEAT
        };
        let (worker, _folder) = start(&[&model]).await;
        let client = connect(&worker, "Identity", None).await.unwrap();
        let outcomes = spawn_blocking(move || {
            hand_over(&client, 0, &[1.0]).unwrap();
            thread::sleep(Duration::from_millis(50));
            client.cancel(0, 0).unwrap();
            receive(&client, 1, |_, _| {})
        });
        let outcomes = outcomes.await.unwrap().unwrap();
        assert_eq!(outcomes[0].0, 0);
        assert_eq!(outcomes[0].1.as_ref().unwrap_err().0, Code::Cancelled);
    }
}

#[tokio::test]
async fn the_end_of_a_session_frees_its_instance() {
    let (worker, _folder) = start(&[&REPEAT]).await;
    for _ in 0..5 {
        let client = connect(&worker, "Identity", None).await.unwrap();
        hand_over(&client, 0, &[-1.0]).unwrap();
        drop(client);
    }
    let begun = Instant::now();
    let client = connect(&worker, "Identity", None).await.unwrap();
    let (outcomes, _client) = ask(client, &[1.0]).await;
    assert_eq!(outcomes, [(1, Ok(()))]);
    assert!(begun.elapsed() < HEARD);
}

#[tokio::test]
async fn open_streams_end_when_requests_are_refused() {
    let (worker, _folder) = start(&[&REPEAT]).await;
    let client = connect(&worker, "Identity", None).await.unwrap();
    let (respond, mut responding) = unbounded_channel();
    let outcomes = spawn_blocking(move || {
        hand_over(&client, 0, &[-1.0, 1.0]).unwrap();
        receive(&client, 2, |request, _| {
            respond.send(request).unwrap_or_default()
        })
    });
    // Both streams are open once each request has a response.
    let mut open = [false; 2];
    while open != [true; 2] {
        open[responding.recv().await.unwrap() as usize] = true;
    }
    worker.refuse();
    drop(responding);
    let outcomes = outcomes.await.unwrap().unwrap();
    for (answers, end) in outcomes {
        let (code, text) = end.unwrap_err();
        assert!(answers > 0 && code == Code::Unavailable && text.contains("Server is stopping"));
    }
}
