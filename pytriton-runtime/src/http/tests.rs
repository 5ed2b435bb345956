//! The door with real models, without a socket.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use flate2::read::GzDecoder;

use crate::budget::Budget;
use crate::reception::{Gate, Reception};
use crate::registry::{ModelDeclaration, Registry};
use crate::serving::ModelSet;
use crate::testing::{IDENTITY, fp32};
use crate::{HeaderForward, Limits};

use super::*;

const INFER: &str = "/v2/models/Identity/infer";

pub(super) async fn app(limits: Limits) -> Reception {
    let second = ModelDeclaration {
        version: 3,
        ..IDENTITY
    };
    let registry = Registry::new(&[&IDENTITY, &second]).unwrap();
    Reception {
        models: Arc::new(
            ModelSet::start(&registry, &Limits::default())
                .await
                .unwrap(),
        ),
        limits,
        forward: HeaderForward::new("x-").unwrap(),
        gate: Gate::default(),
        regions: Arc::default(),
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

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

pub(super) async fn send(
    app: &Reception,
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
    let response = super::answer(app, request).await;
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

fn answer(members: &str) -> String {
    format!(
        r#"{{"model_name":"Identity","model_version":"3","outputs":[{{"name":"OUTPUT_1","datatype":"FP32","shape":[1,2],{members}}}]}}"#
    )
}

#[tokio::test]
async fn paths_answer_as_tritons_do() {
    let app = app(Limits::default()).await;
    let (plain, json) = ("text/plain", "application/json");
    let not_found = r#"{"error":"Not Found"}"#;
    let method = r#"{"error":"Method Not Allowed"}"#;
    let unknown = r#"{"error":"Request for unknown model: 'Nope' is not found"}"#;
    let version = r#"{"error":"Request for unknown model: 'Identity' version 2 is not found"}"#;
    let huge =
        r#"{"error":"Request for unknown model: 'Identity' version 4294967297 is not found"}"#;
    let model_ready = r#"{"name":"Identity","ready":true}"#;
    let not_ready = r#"{"error":"Model version not ready"}"#;
    let index = r#"[{"name":"Identity","version":"1","state":"READY"},{"name":"Identity","version":"3","state":"READY"}]"#;
    let table = [
        ("GET", "/v2/health/live", 200, json, r#"{"live":true}"#),
        ("GET", "/v2/health/ready", 200, json, r#"{"ready":true}"#),
        ("POST", "/v2/health/live", 405, plain, method),
        ("POST", "/v2", 405, json, method),
        ("GET", "/v2/", 404, plain, not_found),
        ("GET", "/", 404, plain, not_found),
        ("GET", "/v2/models/Nope", 404, json, unknown),
        ("POST", "/v2/models/Nope", 405, json, method),
        ("GET", "/v2/models/Nope/config", 404, json, unknown),
        ("GET", "/v2/models/Nope/versions/1", 404, json, unknown),
        ("GET", "/v2/models/Identity/versions/2", 404, json, version),
        (
            "GET",
            "/v2/models/Identity/versions/4294967297",
            404,
            json,
            huge,
        ),
        (
            "GET",
            "/v2/models/Identity/versions/x",
            404,
            plain,
            not_found,
        ),
        ("GET", "/v2/models/Identity/ready", 200, json, model_ready),
        (
            "GET",
            "/v2/models/Identity/versions/1/ready",
            200,
            json,
            model_ready,
        ),
        (
            "GET",
            "/v2/models/Identity/versions/2/ready",
            400,
            plain,
            not_ready,
        ),
        ("GET", "/v2/models/Nope/ready", 400, plain, not_ready),
        (
            "GET",
            "/v2/models/Nope/stats",
            400,
            json,
            r#"{"error":"requested model 'Nope' is not available"}"#,
        ),
        (
            "GET",
            "/v2/models/Identity/versions/2/stats",
            400,
            json,
            r#"{"error":"requested model version is not available for model 'Identity'"}"#,
        ),
        ("GET", INFER, 405, plain, method),
        ("POST", "/v2/models/Nope/infer", 404, plain, unknown),
        (
            "POST",
            "/v2/models/Identity/versions/2/infer",
            404,
            plain,
            version,
        ),
        ("POST", "/v2/repository/index", 200, json, index),
        ("GET", "/v2/repository/index", 405, json, method),
        ("POST", "/v2/models/stats", 405, json, method),
        ("GET", "/v2/models/Identity/generate", 405, json, method),
        (
            "POST",
            "/v2/models/Identity/generate/",
            404,
            plain,
            not_found,
        ),
        ("GET", "/v2/systemsharedmemory/status", 200, json, "[]"),
        ("POST", "/v2/cudasharedmemory/unregister", 200, json, ""),
        (
            "POST",
            "/v2/cudasharedmemory/register",
            400,
            json,
            r#"{"error":"'region name' is necessary to register cuda shared memory region"}"#,
        ),
        (
            "GET",
            "/v2/trace/setting",
            200,
            json,
            r#"{"trace_level":["OFF"],"trace_rate":"1000","trace_count":"-1","log_frequency":"0","trace_file":"","trace_mode":"triton"}"#,
        ),
        (
            "GET",
            "/v2/models/Nope/trace/setting",
            400,
            json,
            r#"{"error":"Request for unknown model : Nope"}"#,
        ),
        (
            "GET",
            "/v2/logging",
            200,
            json,
            r#"{"log_file":"","log_info":true,"log_warning":true,"log_error":true,"log_verbose_level":0,"log_format":"default"}"#,
        ),
        (
            "POST",
            "/v2/repository/models/Identity/load",
            503,
            json,
            r#"{"error":"explicit model load / unload is not allowed if polling is enabled"}"#,
        ),
    ];
    for (verb, path, status, content_type, body) in table {
        let got = send(&app, verb, path, &[], "").await;
        assert_eq!((got.status, got.text()), (status, body), "{verb} {path}");
        assert_eq!(
            got.header("content-type"),
            Some(content_type),
            "{verb} {path}"
        );
    }
    let got = send(
        &app,
        "GET",
        "/v2/models/Identity/versions/99999999999999999999/ready",
        &[],
        "",
    )
    .await;
    assert_eq!((got.status, got.header("content-type")), (400, Some(plain)));
    let got = send(&app, "GET", "/v2/models/Identity", &[], "").await;
    assert!(got.text().contains(r#""versions":["1","3"]"#));
    let got = send(&app, "GET", "/v2/models/Identity/versions/1", &[], "").await;
    assert!(got.text().contains(r#""versions":["1"]"#));
    let got = send(&app, "GET", "/v2/models/Identity/stats", &[], "").await;
    assert_eq!(got.text().matches(r#""name":"Identity""#).count(), 2);
}

#[tokio::test]
async fn json_and_binary_requests_are_answered() {
    let app = app(Limits::default()).await;
    let got = send(&app, "POST", INFER, &[], request(r#""data":[1,2.5]"#)).await;
    assert_eq!(
        (got.status, got.text()),
        (200, answer(r#""data":[1.0,2.5]"#).as_str())
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
    let json = answer(r#""parameters":{"binary_data_size":8}"#);
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
async fn bodies_are_compressed_both_ways() {
    let app = app(Limits::default()).await;
    let parts = || std::iter::once(bytes::Bytes::from(request(r#""data":[1,2]"#)));
    for encoding in [compression::Encoding::Gzip, compression::Encoding::Deflate] {
        let body = encoding.compress(parts()).unwrap();
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
        assert_eq!(text, answer(r#""data":[1.0,2.0]"#));
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
async fn errors_say_by_their_type_where_the_request_ended() {
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

/// A binary request of so many bytes for `Identity`.
fn binary(bytes: usize) -> Request<Body> {
    let json = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,{}],"parameters":{{"binary_data_size":{bytes}}}}}],"parameters":{{"binary_data_output":true}}}}"#,
        bytes / 4
    );
    let length = json.len();
    let mut body = json.into_bytes();
    body.resize(length + bytes, 0);
    let request = Request::builder().method("POST").uri(INFER);
    let request = request.header("inference-header-content-length", length);
    request.body(body.into()).unwrap()
}

/// Waits until so many bytes are held: the instance lets go of a request just after its response.
pub(super) async fn settles(budget: &Budget, bytes: usize) {
    let settled = async {
        while budget.held() != bytes {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let settled = tokio::time::timeout(Duration::from_secs(10), settled).await;
    assert!(settled.is_ok(), "{} instead of {bytes}", budget.held());
}

#[tokio::test]
async fn no_more_bytes_are_held_than_may_be() {
    const KIB: usize = 1 << 10;
    let limits = Limits {
        max_bytes_in_flight: 200 * KIB,
        ..Limits::default()
    };
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let models = Arc::new(ModelSet::start(&registry, &limits).await.unwrap());
    let budget = Arc::clone(models.budget());
    let app = Reception {
        models,
        limits,
        forward: HeaderForward::default(),
        gate: Gate::default(),
        regions: Arc::default(),
    };
    let ask = |bytes: usize| super::answer(&app, binary(bytes * KIB));
    let unread = ask(80).await;
    assert_eq!(unread.status(), 200);
    settles(&budget, 80 * KIB).await;
    // The request has room, its response has none beside it; and the request has none.
    for bytes in [70, 130] {
        let refused = ask(bytes).await;
        assert_eq!(refused.status(), 503);
        let text = to_bytes(Body::new(refused.into_body()), usize::MAX)
            .await
            .unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        assert!(
            text.contains("its limit is 204800. Use --max-bytes-in-flight"),
            "{text}"
        );
        settles(&budget, 80 * KIB).await;
    }
    let tensor = to_bytes(Body::new(unread.into_body()), usize::MAX)
        .await
        .unwrap();
    let tensor = tensor.slice(tensor.len() - 4..);
    settles(&budget, 0).await;
    drop(tensor);
    assert_eq!(ask(95).await.status(), 200);
    settles(&budget, 0).await;
}

#[tokio::test]
async fn what_a_request_names_counts_and_is_no_more_than_anybody_needs() {
    const MIB: usize = 1 << 20;
    let limits = Limits {
        max_bytes_in_flight: 5 * MIB,
        ..Limits::default()
    };
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let app = Reception {
        models: Arc::new(ModelSet::start(&registry, &limits).await.unwrap()),
        limits,
        forward: HeaderForward::default(),
        gate: Gate::default(),
        regions: Arc::default(),
    };
    let input = r#"{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[1]}"#;
    let text = "x".repeat(3 * MIB);
    // So many inputs of so many dimensions each.
    let shapes = |inputs: usize, dims: usize| {
        let shape = vec!["1"; dims].join(",");
        let input =
            format!(r#"{{"name":"INPUT_1","datatype":"FP32","shape":[{shape}],"data":[1]}}"#);
        format!(r#"{{"inputs":[{}]}}"#, vec![input; inputs].join(","))
    };
    let table = [
        (
            format!(r#"{{"inputs":[{input}],"id":"{text}"}}"#),
            503,
            "its limit is 5242880",
        ),
        (
            format!(r#"{{"inputs":[{input}],"parameters":{{"p":"{text}"}}}}"#),
            200,
            "",
        ),
        (
            format!(r#"{{"inputs":[{}]}}"#, ["{}"; 65_537].join(",")),
            400,
            "more than 65536 items",
        ),
        (
            format!(r#"{{"inputs":[{}]}}"#, vec![input; 65_537].join(",")),
            400,
            "more than 65536 items",
        ),
        (shapes(1, 65_537), 400, "more than 65536 dimensions"),
        (shapes(257, 256), 400, "more than 65536 dimensions"),
        // So many are looked at.
        (shapes(256, 256), 400, "already exists in request"),
    ];
    for (body, status, words) in table {
        let got = send(&app, "POST", INFER, &[], body).await;
        assert_eq!(got.status, status, "{}", got.text());
        assert!(got.text().contains(words), "{}", got.text());
        settles(app.models.budget(), 0).await;
    }
}
