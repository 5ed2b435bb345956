//! The HTTP service with real models, without a socket.

use std::io::Read;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use flate2::read::GzDecoder;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_engine::port::Port;
use pytriton_engine::{HeaderForward, Limits};

use crate::service::AppState;
use crate::testing::{IDENTITY, app_state, fp32};

use super::*;

pub(super) const INFER: &str = "/v2/models/Identity/infer";

pub(super) async fn app(limits: Limits) -> AppState {
    let second = ModelDeclaration {
        options: ModelOptions {
            version: 3,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    AppState {
        forward: HeaderForward::new("x-").unwrap(),
        ..app_state(&[&IDENTITY, &second], limits).await
    }
}

pub(super) struct Got {
    pub(super) status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.body
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

pub(super) async fn send(
    app: &AppState,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Body>,
) -> Got {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.into()).unwrap();
    let response = handle(app, Port::Http, request).await;
    Got {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: to_bytes(Body::new(response.into_body()), usize::MAX)
            .await
            .unwrap()
            .to_vec(),
    }
}

fn request(members: &str) -> String {
    format!(r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,2],{members}}}]}}"#)
}

fn respond(members: &str) -> String {
    format!(
        r#"{{"model_name":"Identity","model_version":"3","outputs":[{{"name":"OUTPUT_1","datatype":"FP32","shape":[1,2],{members}}}]}}"#
    )
}

#[tokio::test]
async fn json_and_binary_requests_return_responses() {
    let app = app(Limits::default()).await;
    let got = send(&app, "POST", INFER, &[], request(r#""data":[1,2.5]"#)).await;
    assert_eq!(
        (got.status, got.text()),
        (200, respond(r#""data":[1.0,2.5]"#).as_str())
    );
    assert_eq!(got.header("content-type"), Some("application/json"));
    let elements = fp32(&[1.0, f32::NAN]);
    let header = request(r#""parameters":{"binary_data_size":8}"#);
    let header = header.replacen('{', r#"{"parameters":{"binary_data_output":true},"#, 1);
    let body = [header.as_bytes(), &elements].concat();
    let length = header.len().to_string();
    let got = send(
        &app,
        "POST",
        INFER,
        &[("Inference-Header-Content-Length", &length)],
        body,
    )
    .await;
    assert_eq!(got.status, 200, "{:?}", String::from_utf8_lossy(&got.body));
    let json = respond(r#""parameters":{"binary_data_size":8}"#);
    assert_eq!(got.body, [json.as_bytes(), &elements].concat());
    assert_eq!(got.header("content-type"), Some("application/octet-stream"));
    assert_eq!(
        got.header("inference-header-content-length"),
        Some(json.len().to_string().as_str())
    );
    let raw = [("Inference-Header-Content-Length", "0")];
    let got = send(&app, "POST", INFER, &raw, elements.to_vec()).await;
    assert_eq!(got.body, [json.as_bytes(), &elements].concat());
}

#[tokio::test]
async fn requests_and_responses_can_be_compressed() {
    let app = app(Limits::default()).await;
    let plain = request(r#""data":[1,2]"#);
    for encoding in [compression::Encoding::Gzip, compression::Encoding::Deflate] {
        let parts = std::iter::once(plain.as_bytes());
        let permit = pytriton_core::memory_budget::MemoryPermit::unlimited();
        let body = encoding.compress(parts, permit).unwrap().into_bytes();
        let headers = [
            ("Content-Encoding", encoding.name()),
            ("Accept-Encoding", "gzip, deflate"),
        ];
        let got = send(&app, "POST", INFER, &headers, body).await;
        assert_eq!(
            (got.status, got.header("content-encoding")),
            (200, Some("gzip"))
        );
        let mut text = String::new();
        GzDecoder::new(got.body.as_slice())
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, respond(r#""data":[1.0,2.0]"#));
    }
    let got = send(&app, "POST", INFER, &[("Content-Encoding", "br")], "{}").await;
    assert_eq!(
        (got.status, got.header("accept-encoding")),
        (501, Some("gzip, deflate"))
    );
    assert_eq!(got.text(), r#"{"error":"Unsupported compression type"}"#);
    let got = send(&app, "POST", INFER, &[("Content-Encoding", "gzip")], "{}").await;
    assert_eq!(
        (got.status, got.header("content-type")),
        (400, Some("text/plain"))
    );
}

#[tokio::test]
async fn content_types_of_errors_show_where_the_request_failed() {
    let limits = Limits {
        max_request_bytes: 200,
        ..Limits::default()
    };
    let app = app(limits).await;
    let (plain, json) = ("text/plain", "application/json");
    let large = "x".repeat(201);
    let length = |value| vec![("Inference-Header-Content-Length", value)];
    let table = [
        (
            vec![],
            String::new(),
            400,
            json,
            "failed to parse the request JSON buffer: EOF while parsing a value at line 1 column 0",
        ),
        (
            vec![],
            request(r#""data":[1]"#),
            400,
            json,
            "unable to parse 'data' of input 'INPUT_1': shape [1,2] holds 2 elements, found 1",
        ),
        (
            vec![],
            r#"{"inputs":[]}"#.to_owned(),
            400,
            json,
            "[request id: <id_unknown>] expected 1 inputs but got 0 inputs for model 'Identity'. Got input(s) [], but missing required input(s) ['INPUT_1']. Please provide all required input(s).",
        ),
        (
            vec![],
            request(r#""data":[-3,0]"#),
            500,
            plain,
            "model 'Identity' failed: asked to fail",
        ),
        (
            length("9"),
            "{}".to_owned(),
            400,
            plain,
            "inference header size should be in range (0, 2), got: 9",
        ),
        (
            length("abc"),
            "{}".to_owned(),
            400,
            plain,
            "inference header size must be a number, got: abc",
        ),
        (
            vec![("Content-Length", "201")],
            large.clone(),
            400,
            plain,
            "request JSON size of 201 bytes exceeds the maximum allowed input size of 200 bytes. Use --http-max-input-size to increase the limit.",
        ),
        (
            vec![],
            large,
            400,
            plain,
            "request size exceeds the maximum allowed input size of 200 bytes. Use --http-max-input-size to increase the limit.",
        ),
    ];
    for (headers, body, status, content_type, message) in table {
        let got = send(&app, "POST", INFER, &headers, body).await;
        let expected = format!(r#"{{"error":"{message}"}}"#);
        assert_eq!((got.status, got.text()), (status, expected.as_str()));
        assert_eq!(got.header("content-type"), Some(content_type), "{message}");
    }
}

#[tokio::test]
async fn parsing_a_configuration_is_reserved() {
    let limits = Limits {
        max_bytes_in_flight: 1 << 20,
        ..Limits::default()
    };
    let app = app(limits).await;
    let load = async |bytes: usize| {
        let config = " ".repeat(bytes);
        let body = format!(r#"{{"parameters":{{"config":"{config}"}}}}"#);
        send(
            &app,
            "POST",
            "/v2/repository/models/Identity/load",
            &[],
            body,
        )
        .await
    };
    let refused = load(16 << 10).await;
    assert_eq!(refused.status, 503);
    assert!(
        refused.text().contains("--max-bytes-in-flight"),
        "{}",
        refused.text()
    );
    let other = load(4 << 10).await;
    assert!(
        !other.text().contains("--max-bytes-in-flight"),
        "{}",
        other.text()
    );
    assert_eq!(app.models.budget().reserved(), 0);
}
