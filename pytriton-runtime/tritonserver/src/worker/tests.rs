use std::path::PathBuf;
use std::pin::pin;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pytriton_backend::Code;
use pytriton_backend::protocol::{BatchWriter, ResponseContents, Span};
use pytriton_backend::session::{
    BatchMessage, Client, Hello, SessionError, TensorNames, Token, Welcome,
};
use pytriton_backend::{SOCKET_VARIABLE, TOKEN_VARIABLE};
use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
use pytriton_core::testing::{IDENTITY, Identity, fp32};
use pytriton_engine::options::{ControlMode, ControlOptions};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::*;

pub(super) async fn start(declarations: &[&ModelDeclaration]) -> (Worker, TempDir) {
    let folder = TempDir::new().unwrap();
    let registry = Registry::new(declarations).unwrap();
    let worker = Worker::start(&registry, folder.path()).await.unwrap();
    (worker, folder)
}

fn variable(worker: &Worker, name: &str) -> String {
    let mut variables = worker.environment();
    variables.find(|(known, _)| *known == name).unwrap().1
}

pub(super) async fn connect(
    worker: &Worker,
    model: &str,
    token: Option<Token>,
) -> Result<Client, SessionError> {
    connect_to(worker, model, token, 0).await
}

/// Connects for a given load of tritonserver.
async fn connect_to(
    worker: &Worker,
    model: &str,
    token: Option<Token>,
    load: u64,
) -> Result<Client, SessionError> {
    let path = PathBuf::from(variable(worker, SOCKET_VARIABLE));
    let own = Token::from_text(&variable(worker, TOKEN_VARIABLE)).unwrap();
    let hello = Hello {
        token: token.unwrap_or(own),
        model: model.to_owned(),
        version: 1,
        load,
    };
    let (client, Welcome { names, .. }) =
        spawn_blocking(move || Client::connect(&path, &hello, || {}))
            .await
            .unwrap()?;
    let expected = TensorNames {
        batching: true,
        decoupled: names.decoupled,
        cancellable: false,
        sequence_slots: 0,
        inputs: vec![c"INPUT_1".into()],
        outputs: vec![(c"OUTPUT_1".into(), 11)],
    };
    assert_eq!(names, expected);
    Ok(client)
}

/// The results of the requests: the output values, or the error.
type Outcomes = Vec<Result<Vec<u8>, (Code, String)>>;

/// Sends a batch with one request of one row per value.
async fn ask(client: Client, values: &'static [f32]) -> (Result<Outcomes, SessionError>, Client) {
    spawn_blocking(move || {
        let outcomes =
            hand_over(&client, 0, values).and_then(|()| answers(&client, &[values.len()]));
        (outcomes.map(|mut outcomes| outcomes.remove(0)), client)
    })
    .await
    .unwrap()
}

pub(super) fn hand_over(client: &Client, batch: u64, values: &[f32]) -> Result<(), SessionError> {
    let mut description = Vec::new();
    let mut writer = BatchWriter::new(&mut description, 1);
    for _ in values {
        writer.request("", 0, None);
        writer.count(0);
        writer.count(0);
        writer.count(1);
        writer.input(0, 4, &[1, 1]);
    }
    let data = fp32(values);
    let len = data.len();
    writer.span(0, Span { offset: 0, len });
    writer.finish(values.len());
    let mut unasked = client.prepare(description.len(), len)?;
    unasked.describe(&description)?;
    unasked.write(0, &data)?;
    client.send_batch(batch, unasked)
}

/// Receives the responses to batches numbered from 0, with the given numbers of requests.
fn answers(client: &Client, requests: &[usize]) -> Result<Vec<Outcomes>, SessionError> {
    let mut receiver = client.receiver();
    let mut outcomes: Vec<Vec<_>> = requests.iter().map(|&count| vec![None; count]).collect();
    let mut description = Vec::new();
    while outcomes.iter().flatten().any(Option::is_none) {
        let Some(BatchMessage::Response(answer)) = receiver.next_message()? else {
            receiver.wait(None)?;
            continue;
        };
        let data = receiver.read(&answer, &mut description)?;
        let outcome = match ResponseContents::read(&description, data.len(), 1)? {
            Err(failure) => Err((failure.code, failure.message)),
            Ok(contents) => {
                let outputs: Vec<_> = contents.outputs().collect();
                assert_eq!(outputs.len(), 1);
                let Span { offset, len } = outputs[0].0.span;
                Ok(data[offset..offset + len].to_vec())
            }
        };
        let batch = usize::try_from(answer.batch).unwrap();
        let known = outcomes[batch][answer.request as usize].replace(outcome);
        assert_eq!(known, None, "answered twice");
    }
    let outcomes = outcomes.into_iter();
    Ok(outcomes
        .map(|batch| batch.into_iter().flatten().collect())
        .collect())
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

#[tokio::test]
async fn batches_are_split_into_responses_by_row() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let client = connect(&worker, "Identity", None).await.unwrap();
    let (outcomes, client) = ask(client, &[1.0, 2.0, 3.0]).await;
    let expected = [1.0_f32, 2.0, 3.0].map(|value| Ok(value.to_le_bytes().to_vec()));
    assert_eq!(outcomes.unwrap(), expected);
    drop(client);
    assert!(worker.stop(soon()).await);
}

#[tokio::test]
async fn a_failing_function_fails_only_its_batch() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let mut client = connect(&worker, "Identity", None).await.unwrap();
    let table: [(&[f32], &str); 3] = [
        (&[-1.0, 1.0], "panicked: asked to panic"),
        (&[-2.0], "rows"),
        (&[-3.0], "asked to fail"),
    ];
    for (values, words) in table {
        let (outcomes, back) = ask(client, values).await;
        client = back;
        for outcome in outcomes.unwrap() {
            let (code, message) = outcome.unwrap_err();
            assert_eq!(code, Code::Internal);
            assert!(message.contains(words), "{message}");
        }
    }
    let (outcomes, _client) = ask(client, &[1.0]).await;
    assert!(outcomes.unwrap()[0].is_ok());
}

#[tokio::test]
async fn connections_without_the_token_are_refused() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let refused = connect(&worker, "Identity", Some(Token([0; 16])))
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), "the token belongs to another worker");
    let refused = connect(&worker, "Other", None).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "version 1 of model 'Other' does not exist"
    );
}

#[tokio::test]
async fn the_end_of_a_session_frees_its_instance() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    for _ in 0..20 {
        let client = connect(&worker, "Identity", None).await.unwrap();
        let (outcomes, _client) = ask(client, &[1.0]).await;
        assert!(outcomes.unwrap()[0].is_ok());
    }
}

#[tokio::test]
async fn sessions_are_accepted_while_every_instance_is_busy() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let busy = connect(&worker, "Identity", None).await.unwrap();
    // Takes 50 ms.
    let asking = tokio::spawn(ask(busy, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(10)).await;
    let client = connect(&worker, "Identity", None).await.unwrap();
    assert!(!asking.is_finished());
    let waiting = tokio::spawn(ask(client, &[1.0]));
    let (outcomes, busy) = asking.await.unwrap();
    assert!(outcomes.unwrap()[0].is_ok());
    drop(busy);
    assert!(waiting.await.unwrap().0.unwrap()[0].is_ok());
}

#[tokio::test]
async fn stopping_completes_running_batches() {
    let (worker, _folder) = start(&[&IDENTITY]).await;
    let client = connect(&worker, "Identity", None).await.unwrap();
    // Takes 50 ms.
    let asking = tokio::spawn(ask(client, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(worker.stop(soon()).await);
    let (outcomes, client) = asking.await.unwrap();
    assert!(outcomes.unwrap()[0].is_ok());
    let (outcomes, _client) = ask(client, &[1.0]).await;
    assert!(matches!(outcomes, Err(SessionError::Closed)));
}

/// Returns a worker whose models clients load and unload.
async fn controlled(declaration: &ModelDeclaration) -> (Worker, TempDir) {
    let folder = TempDir::new().unwrap();
    let registry = Registry::new(&[declaration]).unwrap();
    let control = ControlOptions {
        model_control_mode: ControlMode::Explicit,
        load_model: vec!["*".to_owned()],
        ..ControlOptions::default()
    };
    let path = folder.path();
    let worker = Worker::controlled(&registry, path, path, &control).await;
    (worker.unwrap(), folder)
}

#[tokio::test]
async fn a_load_has_no_more_sessions_than_instances() {
    let (worker, _folder) = controlled(&IDENTITY).await;
    let first = connect_to(&worker, "Identity", None, 7).await.unwrap();
    let refused = connect_to(&worker, "Identity", None, 7).await.unwrap_err();
    let expected = "the model has 1 instance in its process: 'instance_group' of a load can reduce this number, not increase it";
    assert_eq!(refused.to_string(), expected);
    let other = connect_to(&worker, "Identity", None, 8).await.unwrap();
    for client in [first, other] {
        assert!(ask(client, &[1.0]).await.0.unwrap()[0].is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_does_not_wait_for_instances_that_never_load() {
    static LOADS: AtomicUsize = AtomicUsize::new(0);
    static LEAVE: Barrier = Barrier::new(2);
    let hanging = ModelDeclaration {
        load: |_| {
            if LOADS.fetch_add(1, Ordering::SeqCst) == 1 {
                LEAVE.wait();
            }
            Ok(Box::new(Identity))
        },
        ..IDENTITY
    };
    let (worker, _folder) = controlled(&hanging).await;
    let served = connect_to(&worker, "Identity", None, 7).await.unwrap();
    let mut waiting = pin!(connect_to(&worker, "Identity", None, 8));
    while LOADS.load(Ordering::SeqCst) < 2 {
        let soon = tokio::time::timeout(Duration::from_millis(1), &mut waiting);
        soon.await.unwrap_err();
    }
    worker.abort_waiting();
    let refused = timeout_at(soon(), waiting).await.unwrap().unwrap_err();
    assert_eq!(refused.to_string(), "the worker is stopping");
    // Running sessions continue.
    assert!(ask(served, &[1.0]).await.0.unwrap()[0].is_ok());
    tokio::task::block_in_place(|| LEAVE.wait());
}

#[tokio::test]
async fn a_client_that_disconnects_early_leaves_no_session() {
    let (worker, _folder) = controlled(&IDENTITY).await;
    let path = PathBuf::from(variable(&worker, SOCKET_VARIABLE));
    let hello = Hello {
        token: Token::from_text(&variable(&worker, TOKEN_VARIABLE)).unwrap(),
        model: "Identity".to_owned(),
        version: 1,
        load: 7,
    };
    for _ in 0..3 {
        let mut disconnected = Client::connect_socket(&path).unwrap();
        hello.send(&mut disconnected).unwrap();
    }
    let taken = async {
        loop {
            if let Ok(client) = connect_to(&worker, "Identity", None, 7).await
                && let (Ok(outcomes), _) = ask(client, &[1.0]).await
            {
                break outcomes;
            }
        }
    };
    let outcomes = timeout_at(soon(), taken).await.unwrap();
    assert!(outcomes[0].is_ok());
}

#[tokio::test]
async fn a_load_survives_a_broken_session() {
    static LOADS: AtomicUsize = AtomicUsize::new(0);
    let counted = ModelDeclaration {
        load: |_| {
            LOADS.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Identity))
        },
        ..IDENTITY
    };
    let (worker, _folder) = controlled(&counted).await;
    let broken = connect_to(&worker, "Identity", None, 7).await.unwrap();
    let broken = spawn_blocking(move || {
        let mut unasked = broken.prepare(3, 0).unwrap();
        unasked.describe(b"???").unwrap();
        broken.send_batch(0, unasked).unwrap();
        while !broken.is_closed() {
            std::thread::yield_now();
        }
    });
    broken.await.unwrap();
    let again = loop {
        // The broken session keeps its place until its instance has released it.
        match connect_to(&worker, "Identity", None, 7).await {
            Err(SessionError::Refused(_)) => {}
            again => break again.unwrap(),
        }
    };
    assert!(ask(again, &[1.0]).await.0.unwrap()[0].is_ok());
    assert_eq!(LOADS.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_session_has_the_configured_number_of_batches_in_flight() {
    let three = ModelDeclaration {
        options: ModelOptions {
            call_options: CallOptions::DEFAULT.batches_in_flight(3),
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    let (worker, _folder) = start(&[&three]).await;
    let client = connect(&worker, "Identity", None).await.unwrap();
    let (outcomes, client) = spawn_blocking(move || {
        // The first takes 50 ms, and one in the middle fails.
        for (batch, values) in (0..).zip([&[-4.0_f32, 1.0][..], &[-3.0], &[2.0, 3.0, 4.0]]) {
            hand_over(&client, batch, values).unwrap();
        }
        (answers(&client, &[2, 1, 3]), client)
    })
    .await
    .unwrap();
    let outcomes = outcomes.unwrap();
    assert!(outcomes[0].iter().all(Result::is_ok));
    assert!(
        outcomes[1][0]
            .as_ref()
            .unwrap_err()
            .1
            .contains("asked to fail")
    );
    let expected = [2.0_f32, 3.0, 4.0].map(|value| Ok(value.to_le_bytes().to_vec()));
    assert_eq!(outcomes[2], expected);
    let asking = tokio::spawn(ask(client, &[-4.0]));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(worker.stop(soon()).await);
    assert!(asking.await.unwrap().0.unwrap()[0].is_ok());
}

#[tokio::test]
async fn a_load_error_names_the_location_of_the_model() {
    let broken = ModelDeclaration {
        load: |_| panic!("no weights"),
        ..IDENTITY
    };
    let folder = TempDir::new().unwrap();
    let registry = Registry::new(&[&broken]).unwrap();
    let error = Worker::start(&registry, folder.path()).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("no weights") && text.contains("testing.rs:1"),
        "{text}"
    );
}
