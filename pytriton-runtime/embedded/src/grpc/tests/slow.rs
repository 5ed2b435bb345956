//! Messages that arrive slowly, without a socket and with paused time.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Request};
use bytes::{BufMut, Bytes};
use futures_util::StreamExt;
use futures_util::stream::{iter, pending, unfold};
use http_body_util::BodyExt;
use prost::Message;
use tokio::time::{Instant, sleep};
use tower::ServiceExt;

use super::*;

const INFER: &str = "ModelInfer";
const STREAM: &str = "ModelStreamInfer";

pub(super) async fn app() -> AppState {
    app_state(&[&IDENTITY], Limits::default()).await
}

/// Returns a message with its prefix.
pub(super) fn framed(message: &ModelInferRequest) -> Vec<u8> {
    let message = message.encode_to_vec();
    let mut framed = vec![0];
    framed.put_u32(u32::try_from(message.len()).unwrap());
    framed.extend(message);
    framed
}

fn complete_message() -> Vec<u8> {
    framed(&message("1", &[1.0; 100]))
}

/// Returns the pieces, each after its pause, and then waits forever.
pub(super) fn pieces(pieces: Vec<(u64, Vec<u8>)>) -> Body {
    let pieces = iter(pieces).then(|(pause, piece)| async move {
        sleep(Duration::from_secs(pause)).await;
        Ok::<_, Infallible>(Bytes::from(piece))
    });
    Body::from_stream(pieces.chain(pending()))
}

fn dripping(pause: Duration) -> Body {
    let prefix = vec![0, 3, 0, 0, 0];
    Body::from_stream(unfold(prefix, move |bytes| async move {
        sleep(pause).await;
        Some((Ok::<_, Infallible>(Bytes::from(bytes)), vec![8]))
    }))
}

/// Returns the status code of a call, and the bytes of its responses.
pub(super) async fn call(
    app_state: &AppState,
    method: &str,
    timeout: Option<&str>,
    body: Body,
) -> (String, usize) {
    let mut request = Request::post(format!("/inference.GRPCInferenceService/{method}"))
        .header("content-type", "application/grpc");
    if let Some(timeout) = timeout {
        request = request.header("grpc-timeout", timeout);
    }
    let request = request.body(body).unwrap();
    let response = routes(app_state.clone()).oneshot(request).await.unwrap();
    let mut headers: HeaderMap = response.headers().clone();
    let collected = response.into_body().collect().await.unwrap();
    headers.extend(collected.trailers().cloned().unwrap_or_default());
    let responses = to_bytes(Body::from(collected.to_bytes()), usize::MAX).await;
    let code = headers[tonic::Status::GRPC_STATUS].to_str().unwrap();
    (code.to_owned(), responses.unwrap().len())
}

#[tokio::test(start_paused = true)]
async fn started_message_must_arrive_in_time() {
    let app_state = app().await;
    let half = || complete_message()[..100].to_vec();
    let table = [
        (INFER, pieces(Vec::new()), 20, false),
        (INFER, pieces(vec![(0, half())]), 20, false),
        (INFER, pieces(vec![(0, complete_message())]), 20, false),
        (INFER, dripping(Duration::from_secs(15)), 20, false),
        (STREAM, dripping(Duration::from_secs(15)), 35, false),
        (
            STREAM,
            pieces(vec![(0, complete_message()), (3600, half())]),
            3620,
            true,
        ),
    ];
    for (method, body, seconds, result) in table {
        let begun = Instant::now();
        let (code, responses) = call(&app_state, method, None, body).await;
        assert_eq!(code, "4", "{method} {seconds}");
        assert_eq!(begun.elapsed().as_secs(), seconds, "{method}");
        assert_eq!(responses > 0, result, "{method} {seconds}");
    }
}

#[tokio::test]
async fn requests_that_are_not_grpc_are_refused() {
    let app_state = app().await;
    let table = [
        ("POST", "application/grpc", 200),
        ("POST", "application/grpc+proto", 200),
        ("GET", "application/grpc", 405),
        ("POST", "application/grpc-web", 415),
        ("POST", "text/plain", 415),
    ];
    for (method, kind, status) in table {
        let request = Request::post("/inference.GRPCInferenceService/ServerLive")
            .method(method)
            .header("content-type", kind)
            .body(Body::from(vec![0; 5]))
            .unwrap();
        let response = routes(app_state.clone()).oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{method} {kind}");
        let allowed = response.headers().get("allow");
        let expected = (status == 405).then_some(&b"POST"[..]);
        assert_eq!(allowed.map(HeaderValue::as_bytes), expected, "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_server_waits_two_seconds_for_a_stalled_message() {
    let app_state = app().await;
    let models = Arc::clone(&app_state.models);
    tokio::spawn(async move {
        sleep(Duration::from_secs(1)).await;
        models.stop_being_ready();
    });
    let begun = Instant::now();
    let body = pieces(vec![(0, complete_message()[..100].to_vec())]);
    assert_eq!(call(&app_state, INFER, None, body).await.0, "14");
    assert_eq!(begun.elapsed().as_secs(), 3);
}
