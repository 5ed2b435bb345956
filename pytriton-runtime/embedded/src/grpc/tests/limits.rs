//! Size limits of methods, and calls while the memory budget is exhausted.

use std::io::Write;

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use axum::response::Response;
use bytes::{BufMut, Bytes};
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::BodyExt;
use prost::Message;
use pytriton_protocol::proto::{ModelReadyRequest, RepositoryModelLoadRequest};
use tower::ServiceExt;

use crate::grpc::health::MAX_WATCHES;
use crate::grpc::message_limit::MessageLimit;
use crate::service::routes::{Route, Rpc, all};
use crate::testing::settles;

use super::slow::pieces;
use super::*;

const KIB: usize = 1 << 10;
const WATCH: &str = "/grpc.health.v1.Health/Watch";

pub(super) fn prefix(flag: u8, length: usize) -> Vec<u8> {
    let mut prefix = vec![flag];
    prefix.put_u32(u32::try_from(length).unwrap());
    prefix
}

fn plain(message: &[u8]) -> Bytes {
    [&prefix(0, message.len()), message].concat().into()
}

pub(super) fn compressed(message: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(message).unwrap();
    let message = encoder.finish().unwrap();
    [prefix(1, message.len()), message].concat().into()
}

/// A message of exactly `length` bytes that every method can decode: an unknown field.
fn padding(length: usize) -> Vec<u8> {
    let mut message = vec![0x7a];
    prost::encoding::encode_varint((length - 4) as u64, &mut message);
    assert!(message.len() <= 4);
    // A longer encoding of the same length.
    while message.len() < 4 {
        *message.last_mut().unwrap() |= 0x80;
        message.push(0);
    }
    message.resize(length, 0);
    message
}

pub(super) async fn send(router: &axum::Router, path: &str, body: impl Into<Body>) -> Response {
    let request = Request::post(path)
        .header("content-type", "application/grpc")
        .header("grpc-encoding", "gzip")
        .body(body.into())
        .unwrap();
    router.clone().oneshot(request).await.unwrap()
}

/// Returns the code and message of the status of a call.
pub(super) async fn status(
    router: &axum::Router,
    path: &str,
    body: impl Into<Body>,
) -> (String, String) {
    status_within(TEST_TIMEOUT, router, path, body).await
}

/// Like [`status`], with a time limit for the call.
pub(super) async fn status_within(
    limit: Duration,
    router: &axum::Router,
    path: &str,
    body: impl Into<Body>,
) -> (String, String) {
    let called = async {
        let response = send(router, path, body).await;
        let headers: HeaderMap = response.headers().clone();
        (headers, response.into_body().collect().await.unwrap())
    };
    let (mut headers, body) = timeout(limit, called).await.unwrap();
    headers.extend(body.trailers().cloned().unwrap_or_default());
    let status = tonic::Status::from_header_map(&headers).unwrap();
    let code = i32::from(status.code());
    (code.to_string(), status.message().to_owned())
}

/// Returns every unary method with its limit.
fn unary_methods(limits: &Limits) -> impl Iterator<Item = (&'static Route, usize)> {
    let routes = all().filter(|route| !route.is_streaming);
    let routes = routes.filter(|route| route.rpc().is_some_and(|rpc| rpc != Rpc::HealthWatch));
    routes.map(|route| (route, MessageLimit::new(route, limits).bytes))
}

#[tokio::test]
async fn a_request_above_the_limit_of_its_method_is_refused_before_it_arrives() {
    let limits = Limits {
        max_request_bytes: 100 * KIB,
        ..Limits::default()
    };
    let app_state = app_state(&[&IDENTITY], limits).await;
    let router = routes(app_state.clone());
    for (method, limit) in unary_methods(&limits) {
        let (path, name) = (method.patterns()[0].text(), method.name());
        let tensors = ["ModelInfer", "RepositoryModelLoad"].contains(&name);
        let most = match method.is_health() {
            _ if tensors => limits.max_request_bytes,
            true => 4 * KIB,
            false => 64 * KIB,
        };
        assert!(limit <= most, "{path}: {limit}");
        let expected = match limit == limits.max_request_bytes {
            true => "--grpc-max-input-size".to_owned(),
            false => format!("{name} exceeds the limit of {limit} bytes"),
        };
        for flag in [0, 1] {
            // Nothing follows the announcement, and the server does not wait for it.
            let body = pieces(vec![(0, prefix(flag, limit + 1))]);
            let (code, text) = status(&router, path, body).await;
            assert!(code == "8" && text.contains(&expected), "{path}: {text}");
        }
        let (code, text) = status(&router, path, compressed(&padding(limit + 1))).await;
        assert!(code == "8" && text.contains(&expected), "{path}: {text}");
        for body in [plain(&padding(limit)), compressed(&padding(limit))] {
            let (code, text) = status(&router, path, body).await;
            assert!(code != "8" && !text.contains("protobuf"), "{path}: {text}");
        }
        settles(app_state.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn small_calls_need_no_budget_and_larger_ones_are_refused() {
    let limits = Limits {
        max_bytes_in_flight: 100 * KIB,
        ..Limits::default()
    };
    let app_state = app_state(&[&IDENTITY], limits).await;
    let router = routes(app_state.clone());
    let budget = app_state.models.budget();
    let _all = budget.reserve(100 * KIB).unwrap();
    let request = ModelReadyRequest {
        name: "Identity".to_owned(),
        version: String::new(),
    };
    for (method, _) in unary_methods(&limits) {
        let message = match method.rpc() {
            Some(Rpc::ModelReady) => request.encode_to_vec(),
            _ => Vec::new(),
        };
        for body in [plain(&message), compressed(&message)] {
            let (code, text) = status(&router, method.patterns()[0].text(), body).await;
            assert_ne!(code, "8", "{}: {text}", method.patterns()[0].text());
            if method.is_health() {
                assert_eq!((code.as_str(), text.as_str()), ("0", ""));
            }
        }
    }
    let load = RepositoryModelLoadRequest {
        model_name: "x".repeat(8 * KIB),
        ..RepositoryModelLoadRequest::default()
    };
    let path = "/inference.GRPCInferenceService/RepositoryModelLoad";
    for body in [
        plain(&load.encode_to_vec()),
        compressed(&load.encode_to_vec()),
    ] {
        let (code, text) = status(&router, path, body).await;
        assert_eq!(code, "8", "{text}");
        assert!(text.contains("the server cannot hold"), "{text}");
    }
    let watch = send(&router, WATCH, plain(&[])).await;
    let first = watch.into_body().frame().await.unwrap().unwrap();
    assert_eq!(first.into_data().unwrap(), plain(&[8, 1]));
    assert_eq!(budget.reserved(), 100 * KIB);
}

#[tokio::test]
async fn maps_are_bounded_before_they_are_decoded() {
    let load = "/inference.GRPCInferenceService/RepositoryModelLoad";
    let trace = "/inference.GRPCInferenceService/TraceSetting";
    // An entry takes at least two bytes, and a hundred times as much when decoded.
    let entries = |count: usize, field: u8| [field << 3 | 2, 0].repeat(count);
    let table = [
        (
            load,
            entries(70_000, 3),
            usize::MAX,
            "3",
            "more than 65536 fields",
        ),
        (load, entries(60_000, 3), 4 << 20, "8", "cannot hold"),
        (trace, entries(32 * KIB, 1), 4 << 20, "8", "cannot hold"),
        (
            trace,
            entries(30 << 20, 1),
            16 << 20,
            "8",
            "exceeds the limit",
        ),
        (trace, entries(100, 1), 4 << 20, "0", ""),
    ];
    for (path, message, max_bytes_in_flight, code, text) in table {
        let limits = Limits {
            max_bytes_in_flight,
            ..Limits::default()
        };
        let app_state = app_state(&[&IDENTITY], limits).await;
        let router = routes(app_state.clone());
        let got = status(&router, path, compressed(&message)).await;
        assert!(got.0 == code && got.1.contains(text), "{path}: {got:?}");
        settles(app_state.models.budget(), 0).await;
    }
}

#[tokio::test]
async fn watch_beyond_the_limit_is_refused_until_another_ends() {
    let app_state = app_state(&[&IDENTITY], Limits::default()).await;
    let router = routes(app_state.clone());
    let mut watches = Vec::new();
    for number in 0..MAX_WATCHES {
        // Watches of an unknown service stay open too.
        let service: &[u8] = if number % 2 == 0 { b"" } else { b"\x0a\x01x" };
        let mut watch = send(&router, WATCH, plain(service)).await.into_body();
        watch.frame().await.unwrap().unwrap();
        watches.push(watch);
    }
    let (code, text) = status(&router, WATCH, plain(&[])).await;
    assert!(
        code == "8" && text.contains("1024 health watches"),
        "{text}"
    );
    let check = "/grpc.health.v1.Health/Check";
    assert_eq!(status(&router, check, plain(&[])).await.0, "0");
    for _ in 0..2 {
        drop(watches.pop());
        let mut watch = send(&router, WATCH, plain(&[])).await.into_body();
        watch.frame().await.unwrap().unwrap();
        watches.push(watch);
    }
    app_state.models.stop_being_ready();
    let ends = watches.into_iter().map(BodyExt::collect);
    let ends = timeout(TEST_TIMEOUT, futures_util::future::join_all(ends)).await;
    for end in ends.unwrap() {
        assert_eq!(end.unwrap().trailers().unwrap()["grpc-status"], "0");
    }
}
