//! The route for embeddings with real models, without a socket.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use ndarray::{Array2, Ix2};
use pytriton_core::call::{Call, Execution, Instance};
use pytriton_core::model::{CallMode, QueuePolicy, TensorDeclaration};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use serde_json::{Value, json};

use crate::testing::heap::peak;
use crate::testing::{GATE, IDENTITY, app_state, settles};

use super::super::super::tests::{Got, send};
use super::super::tests::PROMPT;
use super::*;

/// Returns the length of each text, and the number of rows of the call. `wait` waits for [`GATE`],
/// and `long` has a vector of [`LONG_NUMBERS`] numbers.
const LENGTHS: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Lengths",
        max_batch_size: 2,
        openai: Some(Surface::Embeddings),
        // Fewer than the batches of a long request.
        queue_policy: QueuePolicy::DEFAULT.max_queue_size(16),
        ..IDENTITY.options
    },
    inputs: &[TensorDeclaration {
        name: "texts",
        ..PROMPT
    }],
    call: CallMode::Request,
    load: |_| Ok(Box::new(Lengths)),
    ..IDENTITY
};

/// [`LENGTHS`] with a shorter queue.
const fn short(name: &'static str, max_queue_size: u32) -> ModelDeclaration {
    ModelDeclaration {
        options: ModelOptions {
            name,
            queue_policy: QueuePolicy::DEFAULT.max_queue_size(max_queue_size),
            ..LENGTHS.options
        },
        ..LENGTHS
    }
}

const QUEUE_OF_ONE: ModelDeclaration = short("One", 1);
const QUEUE_OF_THREE: ModelDeclaration = short("Three", 3);
/// The queue has the default size.
const DEFAULT_QUEUE: ModelDeclaration = short("Default", 0);

/// [`LENGTHS`] with an input that has one value for all texts.
const TASK: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Task",
        ..LENGTHS.options
    },
    inputs: &[
        LENGTHS.inputs[0],
        TensorDeclaration {
            name: "task",
            optional: true,
            ..LENGTHS.inputs[0]
        },
    ],
    ..LENGTHS
};

/// The calls of [`LENGTHS`] with a text `count`.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// The calls of [`LENGTHS`] with a text `long`.
static LONG_CALLS: AtomicUsize = AtomicUsize::new(0);
const LONG_NUMBERS: usize = 20_000;

#[derive(Debug)]
struct Lengths;

impl Instance for Lengths {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let texts = call.array::<String, Ix2>(0)?;
            let has = |word: &str| texts.iter().any(|text| text == word);
            if has("fail") {
                return Err(call.failed("as it was told"));
            }
            if has("wait") {
                drop(GATE.lock().await);
            }
            if has("count") {
                CALLS.fetch_add(1, Ordering::SeqCst);
            }
            if has("long") {
                LONG_CALLS.fetch_add(1, Ordering::SeqCst);
                return call.outputs(Array2::from_elem(
                    (texts.nrows(), LONG_NUMBERS),
                    0.123_456_79_f32,
                ));
            }
            let lengths = texts.iter().map(String::len);
            let lengths = lengths.flat_map(|length| [length as f32, texts.nrows() as f32]);
            let vectors = Array2::from_shape_vec((texts.nrows(), 2), lengths.collect());
            call.outputs(vectors.unwrap())
        })
    }
}

async fn ask(app: &AppState, members: Value) -> Got {
    let mut body = json!({"model": "Lengths"});
    body.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    send(app, "POST", "/v1/embeddings", &[], body.to_string()).await
}

async fn lengths(limits: Limits) -> AppState {
    app_state(&[&LENGTHS, &IDENTITY], limits).await
}

#[tokio::test]
async fn vectors_are_in_the_order_of_the_texts() {
    let app = lengths(Limits::default()).await;
    for count in [1, 2, 3, 100] {
        let texts: Vec<_> = (0..count).map(|length| "x".repeat(length)).collect();
        let got = ask(&app, json!({"input": texts})).await;
        let body: Value = serde_json::from_slice(got.bytes()).unwrap();
        assert_eq!((got.status, &body["model"]), (200, &json!("Lengths")));
        for length in 0..count {
            let rows = if count % 2 == 1 && length + 1 == count {
                1.0
            } else {
                2.0
            };
            let vector = [length as f32, rows];
            let expected = json!({"object": "embedding", "index": length, "embedding": vector});
            assert_eq!(body["data"][length], expected);
        }
        assert_eq!(body["data"].as_array().unwrap().len(), count);
    }
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn long_request_does_not_fill_a_short_queue() {
    let limits = Limits {
        max_queue_size: 2,
        ..Limits::default()
    };
    let app = app_state(&[&QUEUE_OF_ONE, &QUEUE_OF_THREE, &DEFAULT_QUEUE], limits).await;
    for model in ["One", "Three", "Default"] {
        let gate = GATE.lock().await;
        let mut texts = vec!["a"; 100];
        texts[0] = "wait";
        let members = json!({"model": model, "input": texts});
        let mut asked = pin!(ask(&app, members));
        let early = tokio::time::timeout(Duration::from_millis(50), &mut asked).await;
        drop(gate);
        let got = match early {
            Ok(got) => got,
            Err(_) => asked.await,
        };
        assert_eq!(got.status, 200, "{model}: {}", got.text());
    }
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn failed_batch_fails_the_request() {
    let app = lengths(Limits::default()).await;
    let got = ask(&app, json!({"input": ["a", "b", "c", "fail", "d"]})).await;
    assert_eq!(got.status, 500);
    assert!(got.text().contains("as it was told") && got.text().contains("server_error"));
    let got = ask(&app, json!({"input": ["a"], "dimensions": 3})).await;
    assert!(
        got.text().contains(r#""param":"dimensions""#),
        "{}",
        got.text()
    );
    let other = r#"{"model":"Lengths","prompt":"a"}"#;
    let got = send(&app, "POST", "/v1/completions", &[], other).await;
    let text = "The model 'Lengths' is not served over /v1/completions. Did you mean to use /v1/embeddings?";
    assert!(
        got.status == 404 && got.text().contains(text),
        "{}",
        got.text()
    );
    let identity = r#"{"model":"Identity","input":"a"}"#;
    let got = send(&app, "POST", "/v1/embeddings", &[], identity).await;
    assert!(got.text().contains("does not exist"), "{}", got.text());
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn repeated_values_are_written_on_another_thread() {
    const LIGHT_BYTES: usize = 1 << 20;
    let app = app_state(&[&TASK], Limits::default()).await;
    // The requests to the model have 8 MiB in total, and the body only 12 KiB.
    let members = json!({"model": "Task", "input": vec!["a"; 2048], "task": "x".repeat(4000)});
    let mut asked = pin!(ask(&app, members));
    let (first, peak) = peak(|| asked.as_mut().now_or_never());
    assert!(first.is_none() && peak < LIGHT_BYTES, "{peak}");
    let got = asked.await;
    assert_eq!(got.status, 200, "{}", got.text());
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn replaced_model_refuses_the_rest_of_a_request() {
    for count in [1, 100] {
        let app = lengths(Limits::default()).await;
        let gate = GATE.lock().await;
        let mut texts = vec!["a"; count];
        texts[0] = "wait";
        let mut asked = pin!(ask(&app, json!({"input": texts})));
        let early = tokio::time::timeout(Duration::from_millis(50), &mut asked);
        assert!(early.await.is_err());
        let other = LENGTHS.registration().unwrap();
        let replaced = app.models.load(&other).await.unwrap().unwrap();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
        let (drained, got) = tokio::join!(replaced.drain(deadline), async {
            drop(gate);
            asked.await
        });
        assert!(drained);
        let expected = if count == 1 { 200 } else { 503 };
        assert_eq!(got.status, expected, "{count}: {}", got.text());
        settles(app.models.budget(), 0).await;
        let got = ask(&app, json!({"input": ["a"]})).await;
        assert_eq!(got.status, 200);
    }
}

#[tokio::test]
async fn request_must_fit_into_the_budget() {
    let limits = Limits {
        max_bytes_in_flight: 100_000,
        ..Limits::default()
    };
    let app = lengths(limits).await;
    let got = ask(&app, json!({"input": vec!["a"; 2000]})).await;
    assert!(
        got.status == 503 && got.text().contains("--max-bytes-in-flight"),
        "{}",
        got.text()
    );
    let got = ask(&app, json!({"input": vec!["a"; 5]})).await;
    assert_eq!(got.status, 200);
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn response_must_fit_into_the_budget() {
    // Both contain the vector, but only one its text.
    for (calls, max_bytes_in_flight, status) in [(1, 200_000, 503), (2, 1_000_000, 200)] {
        let limits = Limits {
            max_bytes_in_flight,
            ..Limits::default()
        };
        let app = lengths(limits).await;
        let got = ask(&app, json!({"input": "long"})).await;
        assert_eq!(got.status, status, "{}", got.text());
        assert_eq!(LONG_CALLS.load(Ordering::SeqCst), calls);
        if status == 503 {
            assert!(got.text().contains("--max-bytes-in-flight"));
        }
        drop(got);
        settles(app.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn cancelled_request_leaves_the_queue() {
    let app = lengths(Limits::default()).await;
    let gate = GATE.lock().await;
    let mut texts = vec!["count"; 100];
    texts[0] = "wait";
    {
        let mut asked = pin!(ask(&app, json!({"input": texts})));
        let short = tokio::time::timeout(Duration::from_millis(50), &mut asked);
        assert!(short.await.is_err());
    }
    drop(gate);
    settles(app.models.budget(), 0).await;
    let got = ask(&app, json!({"input": ["a"]})).await;
    assert_eq!(got.status, 200);
    // Only the batch that had been called already.
    assert!(CALLS.load(Ordering::SeqCst) <= 1);
}
