//! The OpenAI routes with real models, without a socket.

use std::pin::pin;

use axum::body::Body;
use axum::http::Request;
use futures_util::{FutureExt, stream};
use http_body_util::BodyExt;
use pytriton_core::call::{Call, Execution, Instance, Outputs, flow};
use pytriton_core::model::{CallMode, Surface, TensorDeclaration};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_engine::Limits;
use pytriton_kserve::openai::{FinishReason, Piece};
use pytriton_protocol::tensor::DataType;
use serde_json::json;
use tokio::time::Instant;

use crate::service::AppState;
use crate::testing::heap::peak;
use crate::testing::{GATE, IDENTITY, app_state, settles};

use super::super::tests::{app, send};

/// An input with one text.
pub(super) const PROMPT: TensorDeclaration = TensorDeclaration {
    name: "prompt",
    datatype: DataType::Bytes,
    rank: None,
    shape: Some(&[1]),
    optional: false,
    description: "",
    example: &[],
    labels: "",
};

/// Responds according to the prompt: `wait` waits for [`GATE`], `endless` never ends, and any other
/// prompt is sent back word by word.
const TEXT: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Text",
        max_batch_size: 0,
        dynamic_batching: false,
        openai: Some(Surface::Completions),
        ..IDENTITY.options
    },
    inputs: &[PROMPT],
    outputs: Piece::DECLARATIONS,
    call: CallMode::Request,
    decoupled: true,
    load: |_| Ok(Box::new(Text)),
    ..IDENTITY
};

/// [`TEXT`] with an input that has one value for all prompts.
const SUFFIXED: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Suffixed",
        ..TEXT.options
    },
    inputs: &[
        PROMPT,
        TensorDeclaration {
            name: "suffix",
            ..PROMPT
        },
    ],
    ..TEXT
};

#[derive(Debug)]
struct Text;

impl Instance for Text {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let prompt: String = call.scalar(0)?;
            let outputs = |piece: Piece| call.outputs(piece);
            match prompt.as_str() {
                "wait" => {
                    drop(GATE.lock().await);
                    flow(call, stream::iter([Piece::from("late")]), outputs).await
                }
                "endless" => {
                    let piece = || Piece::from("x".repeat(1000));
                    flow(call, stream::repeat_with(piece), outputs).await
                }
                prompt => {
                    let words = prompt.split_inclusive(' ').map(Piece::from);
                    let last = Piece::default().finished(FinishReason::Length);
                    flow(call, stream::iter(words.chain([last])), outputs).await
                }
            }
        })
    }

    fn is_async(&self) -> bool {
        true
    }
}

async fn texts(limits: Limits) -> AppState {
    app_state(&[&TEXT, &IDENTITY], limits).await
}

const COMPLETIONS: &str = "/v1/completions";

#[tokio::test]
async fn routes_exist_if_a_model_declares_them() {
    let without = app(Limits::default()).await;
    for (method, path) in [("GET", "/v1/models"), ("POST", COMPLETIONS)] {
        let got = send(&without, method, path, &[], "").await;
        assert_eq!((got.status, got.text()), (404, r#"{"error":"Not Found"}"#));
    }
    let with = texts(Limits::default()).await;
    let got = send(&with, "GET", "/v1/models", &[], "").await;
    assert_eq!(got.status, 200);
    assert!(got.text().contains(r#""id":"Text""#) && !got.text().contains("Identity"));
    let got = send(&with, "GET", "/v1", &[], "").await;
    assert_eq!((got.status, got.text()), (404, r#"{"error":"Not Found"}"#));
    let identity = r#"{"model":"Identity","prompt":"x"}"#;
    let got = send(&with, "POST", COMPLETIONS, &[], identity).await;
    assert_eq!(got.status, 404);
}

#[tokio::test]
async fn completion_is_streamed_or_complete() {
    let app = texts(Limits::default()).await;
    let ask = |members: &str| format!(r#"{{"model":"Text","prompt":"a b c"{members}}}"#);
    let got = send(&app, "POST", COMPLETIONS, &[], ask("")).await;
    let choice =
        r#""choices":[{"text":"a b c","index":0,"logprobs":null,"finish_reason":"length"}]}"#;
    assert!(got.text().ends_with(choice), "{}", got.text());
    let streamed = ask(r#","stream":true,"stop":" c""#);
    let got = send(&app, "POST", COMPLETIONS, &[], streamed).await;
    assert_eq!(
        got.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    let events: Vec<&str> = got.text().split_inclusive("\n\n").collect();
    let texts = events
        .iter()
        .filter_map(|event| event.split_once(r#""text":"#));
    let texts: Vec<&str> = texts.map(|(_, rest)| rest).collect();
    let rest = |text: &str, reason: &str| {
        format!("{text},\"index\":0,\"logprobs\":null,\"finish_reason\":{reason}}}]}}\n\n")
    };
    let expected = [("\"a\"", "null"), ("\" b\"", "null"), ("\"\"", "\"stop\"")];
    assert_eq!(texts, expected.map(|(text, reason)| rest(text, reason)));
    assert_eq!(events.last(), Some(&"data: [DONE]\n\n"));
}

#[tokio::test]
async fn repeated_members_are_written_on_another_thread() {
    const LIGHT_BYTES: usize = 1 << 20;
    let app = app_state(&[&SUFFIXED], Limits::default()).await;
    // The requests to the model have 1.5 MiB in total, and the body only 13 KiB.
    let (prompts, suffix) = (vec!["a"; 128], "x".repeat(12_000));
    let body = json!({"model": "Suffixed", "prompt": prompts, "suffix": suffix}).to_string();
    let mut asked = pin!(send(&app, "POST", COMPLETIONS, &[], body));
    let (first, peak) = peak(|| asked.as_mut().now_or_never());
    assert!(first.is_none() && peak < LIGHT_BYTES, "{peak}");
    let got = asked.await;
    assert_eq!(got.status, 200, "{}", got.text());
    assert!(got.text().contains(r#""index":127"#), "{}", got.text());
    drop(got);
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn complete_text_must_fit_into_the_budget() {
    let limits = Limits {
        max_bytes_in_flight: 100_000,
        ..Limits::default()
    };
    let app = texts(limits).await;
    let got = send(
        &app,
        "POST",
        COMPLETIONS,
        &[],
        r#"{"model":"Text","prompt":"endless"}"#,
    )
    .await;
    assert_eq!(got.status, 503);
    assert!(
        got.text().contains("--max-bytes-in-flight"),
        "{}",
        got.text()
    );
    let got = send(
        &app,
        "POST",
        COMPLETIONS,
        &[],
        r#"{"model":"Text","prompt":"a"}"#,
    )
    .await;
    assert_eq!(got.status, 200);
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn idle_completion_stream_sends_keep_alive_comments() {
    let app = texts(Limits::default()).await;
    let gate = GATE.lock().await;
    tokio::time::pause();
    let begun = Instant::now();
    let body = r#"{"model":"Text","prompt":"wait","stream":true}"#;
    let request = Request::post(COMPLETIONS).body(Body::from(body)).unwrap();
    let mut body = super::super::handle(&app, pytriton_engine::port::Port::Http, request)
        .await
        .into_body();
    for count in 1..4 {
        let comment = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(comment, ": keep-alive\n\n");
        assert_eq!(begun.elapsed().as_secs(), 15 * count);
    }
    drop(gate);
    tokio::time::resume();
    let rest = body.collect().await.unwrap().to_bytes();
    let rest = std::str::from_utf8(&rest).unwrap();
    assert!(
        rest.starts_with("data: {") && rest.ends_with("data: [DONE]\n\n"),
        "{rest}"
    );
}
