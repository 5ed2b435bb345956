//! The generate extension with real models, without a socket.

use axum::body::{Body, HttpBody};
use axum::http::Request;
use http_body_util::BodyExt;
use pytriton_engine::Limits;
use tokio::time::Instant;

use crate::service::AppState;
use crate::testing::counting::{COUNTING, COUNTS, dropped_streams, noticed};
use crate::testing::{GATE, IDENTITY, app_state, settles};

use super::tests::{app, send};

const ONE: &str = "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses";

/// A server with a decoupled model.
async fn counting() -> AppState {
    app_state(&[&COUNTING], Limits::default()).await
}

fn path(model: &str, action: &str) -> String {
    format!("/v2/models/{model}/{action}")
}

fn error(text: &str) -> String {
    format!(r#"{{"error":"{text}"}}"#)
}

#[tokio::test]
async fn model_with_one_response_responds_once() {
    let app = app(Limits::default()).await;
    let response = |id: &str, elements: &str| {
        format!(r#"{{"OUTPUT_1":{elements},{id}"model_name":"Identity","model_version":"3"}}"#)
    };
    let table = [
        (r#"{"INPUT_1":7}"#, 200, response("", "7.0")),
        (
            r#"{"parameters":{"INPUT_1":[1,2.5]},"id":"a"}"#,
            200,
            response(r#""id":"a","#, "[1.0,2.5]"),
        ),
        (
            r#"{"INPUT_1":-3}"#,
            500,
            error("model 'Identity' failed: asked to fail"),
        ),
    ];
    for (body, status, text) in table {
        let got = send(&app, "POST", &path("Identity", "generate"), &[], body).await;
        assert_eq!((got.status, got.text()), (status, text.as_str()));
        assert_eq!(got.header("content-type"), Some("application/json"));
        let got = send(
            &app,
            "POST",
            &path("Identity", "generate_stream"),
            &[],
            body,
        )
        .await;
        assert_eq!(
            (got.status, got.text()),
            (status, format!("data: {text}\n\n").as_str())
        );
        assert_eq!(
            got.header("content-type"),
            Some("text/event-stream; charset=utf-8")
        );
    }
}

type Headers<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn errors_are_json_on_both_routes() {
    let limits = Limits {
        max_request_bytes: 200,
        ..Limits::default()
    };
    let app = app(limits).await;
    let long = format!(r#"{{"INPUT_1":1,"p":"{}"}}"#, "x".repeat(200));
    let unknown = "[request id: <id_unknown>] expected 1 inputs but got 0 inputs for model 'Identity'. Got input(s) [], but missing required input(s) ['INPUT_1']. Please provide all required input(s).";
    let table: [(&str, Headers<'_>, &str, u16, &str); 9] = [
        (
            "Nope",
            &[("content-encoding", "br")],
            "x",
            404,
            "Request for unknown model: 'Nope' is not found",
        ),
        (
            "Identity/versions/2",
            &[],
            "",
            404,
            "Request for unknown model: 'Identity' version 2 is not found",
        ),
        (
            "Identity",
            &[("content-encoding", "gzip")],
            "x",
            400,
            "Unsupported content-encoding, only 'identity' is supported.",
        ),
        (
            "Identity",
            &[("content-encoding", "br")],
            "x",
            400,
            "Unsupported content-encoding, only 'identity' is supported.",
        ),
        (
            "Identity",
            &[
                ("content-encoding", "identity"),
                ("content-type", "text/html"),
            ],
            "[]",
            400,
            "failed to parse the request JSON buffer: invalid type: sequence, expected the request to be an object at line 1 column 0",
        ),
        ("Identity", &[], "{}", 400, unknown),
        (
            "Identity",
            &[],
            r#"{"INPUT_1":"x"}"#,
            400,
            "unable to parse 'data' of input 'INPUT_1': expected FP32 numbers, found a string",
        ),
        (
            "Identity",
            &[],
            r#"{"INPUT_1":1,"p":{}}"#,
            400,
            "parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.",
        ),
        (
            "Identity",
            &[],
            &long,
            400,
            "request size exceeds the maximum allowed input size of 200 bytes. Use --http-max-input-size to increase the limit.",
        ),
    ];
    for (model, headers, body, status, text) in table {
        for action in ["generate", "generate_stream"] {
            let got = send(&app, "POST", &path(model, action), headers, body.to_owned()).await;
            assert_eq!((got.status, got.text()), (status, error(text).as_str()));
            assert_eq!(got.header("content-type"), Some("application/json"));
        }
    }
}

#[tokio::test]
async fn responses_are_not_compressed_and_headers_are_not_forwarded() {
    let app = app(Limits::default()).await;
    let headers = [("accept-encoding", "gzip"), ("x-a", "1")];
    let got = send(
        &app,
        "POST",
        &path("Identity", "generate"),
        &headers,
        r#"{"INPUT_1":1}"#,
    )
    .await;
    assert_eq!((got.status, got.header("content-encoding")), (200, None));
}

#[tokio::test]
async fn stream_has_an_event_for_each_response() {
    let app = counting().await;
    let event = |number: &str| {
        format!(
            "data: {{\"OUTPUT_1\":{number}.0,\"model_name\":\"Counting\",\"model_version\":\"1\"}}\n\n"
        )
    };
    let failure = error("model 'Counting' failed: asked to fail");
    let table = [
        ("0", 200, String::new()),
        ("1", 200, event("0")),
        ("3", 200, event("0") + &event("1") + &event("2")),
        ("-1", 500, format!("data: {failure}\n\n")),
        ("-2", 200, format!("{}data: {failure}\n\n", event("0"))),
    ];
    for (number, status, text) in table {
        let body = format!(r#"{{"INPUT_1":{number}}}"#);
        let got = send(
            &app,
            "POST",
            &path("Counting", "generate_stream"),
            &[],
            body,
        )
        .await;
        assert_eq!(
            (got.status, got.text()),
            (status, text.as_str()),
            "{number}"
        );
    }
}

#[tokio::test]
async fn generate_requires_exactly_one_response() {
    let app = counting().await;
    let one = r#"{"OUTPUT_1":0.0,"model_name":"Counting","model_version":"1"}"#;
    let _counts = COUNTS.lock().await;
    let before = dropped_streams();
    let table = [
        ("0", 500, error(ONE)),
        ("1", 200, one.to_owned()),
        ("2", 500, error(ONE)),
        ("-1", 500, error("model 'Counting' failed: asked to fail")),
        ("-2", 500, error(ONE)),
        ("-4", 500, error(ONE)),
    ];
    for (number, status, text) in table {
        let body = format!(r#"{{"INPUT_1":{number}}}"#);
        let got = send(&app, "POST", &path("Counting", "generate"), &[], body).await;
        assert_eq!(
            (got.status, got.text()),
            (status, text.as_str()),
            "{number}"
        );
    }
    noticed(before + 1).await;
    settles(app.models.budget(), 0).await;
}

#[tokio::test]
async fn memory_of_a_request_and_its_responses_is_counted() {
    let limits = Limits {
        max_bytes_in_flight: 300 << 10,
        ..Limits::default()
    };
    let app = app_state(&[&IDENTITY], limits).await;
    // An element takes two bytes in the body, four in each tensor, and four in the response.
    // All of it may be held at once: the request is released by the thread that executes the model.
    for (elements, status) in [(15_000, 200), (50_000, 503), (160_000, 503)] {
        let numbers = vec!["7"; elements].join(",");
        for action in ["generate", "generate_stream"] {
            let body = format!(r#"{{"INPUT_1":[{numbers}]}}"#);
            let got = send(&app, "POST", &path("Identity", action), &[], body).await;
            assert_eq!(got.status, status, "{elements} {action}");
            assert_eq!(
                status != 200,
                got.text().contains("the limit is 307200 bytes")
            );
            settles(app.models.budget(), 0).await;
        }
    }
}

#[tokio::test]
async fn other_endpoints_refuse_a_decoupled_model() {
    let app = counting().await;
    let got = send(&app, "POST", &path("Counting", "infer"), &[], "{}").await;
    let text = error("HTTP end point doesn't support models with decoupled transaction policy");
    assert_eq!((got.status, got.text()), (501, text.as_str()));
    assert_eq!(got.header("content-type"), Some("text/plain"));
}

async fn stream_of(
    app: &AppState,
    number: &str,
) -> (u16, impl HttpBody<Data = bytes::Bytes> + Unpin) {
    let body = format!(r#"{{"INPUT_1":{number}}}"#);
    let request = Request::post(path("Counting", "generate_stream"));
    let response = super::handle(
        app,
        pytriton_engine::port::Port::Http,
        request.body(Body::from(body)).unwrap(),
    )
    .await;
    (response.status().as_u16(), response.into_body())
}

#[tokio::test]
async fn dropping_a_stream_cancels_its_function() {
    let app = counting().await;
    let _counts = COUNTS.lock().await;
    let before = dropped_streams();
    let (_, mut body) = stream_of(&app, "-4").await;
    for _ in 0..100 {
        let event = body.frame().await.unwrap().ok().unwrap();
        assert!(event.is_data());
    }
    drop(body);
    noticed(before + 1).await;
}

#[tokio::test]
async fn idle_stream_sends_keep_alive_comments() {
    let app = counting().await;
    let gate = GATE.lock().await;
    tokio::time::pause();
    let begun = Instant::now();
    let (status, mut body) = stream_of(&app, "-3").await;
    assert_eq!((status, begun.elapsed().as_secs()), (200, 15));
    for count in 1..4 {
        let comment = body
            .frame()
            .await
            .unwrap()
            .ok()
            .unwrap()
            .into_data()
            .unwrap();
        assert_eq!(comment, ": keep-alive\n\n");
        assert_eq!(begun.elapsed().as_secs(), 15 * count);
    }
    drop(gate);
    tokio::time::resume();
    let event = body
        .frame()
        .await
        .unwrap()
        .ok()
        .unwrap()
        .into_data()
        .unwrap();
    assert!(event.starts_with(b"data: {"), "{event:?}");
    assert!(body.frame().await.is_none());
}
