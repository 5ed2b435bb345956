use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderName, HeaderValue, Request};
use pytriton_engine::Limits;
use pytriton_engine::access::default_routes;
use pytriton_engine::access::{Group, Secret, Secrets};
use pytriton_engine::loaded_models::LoadedModels;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::service::routes::is_used_by_page;
use crate::service::{AppState, OpenApiDocument, RequiredHeader};
use crate::testing::IDENTITY;

use super::super::response::HttpResponse;
use super::super::tests::app;
use super::super::{TritonserverClient, handle_docs_port};
use super::Relay;

/// A server that sends this response to every request and keeps the connection open. Returns the
/// requests it receives.
async fn relay(
    pieces: &'static [&'static str],
    connections: usize,
) -> (Relay, UnboundedReceiver<String>) {
    relay_of(pieces, connections, true).await
}

/// Like [`relay`]. The server closes the connection unless `stays` is true.
async fn relay_of(
    pieces: &'static [&'static str],
    connections: usize,
    stays: bool,
) -> (Relay, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (requests, asked) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let requests = requests.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 4000];
                let length = stream.read(&mut request).await.unwrap();
                let _ = requests.send(String::from_utf8_lossy(&request[..length]).into_owned());
                for pieces in pieces {
                    let _ = stream.write_all(pieces.as_bytes()).await;
                    tokio::task::yield_now().await;
                }
                if stays {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    let relay = Relay {
        client: Arc::new(TritonserverClient::new(
            address,
            Arc::default(),
            connections,
        )),
        metrics: Some(address),
        models: LoadedModels::new(vec![Arc::new(IDENTITY.spec().unwrap())], |_| Some(true)),
        document: OpenApiDocument::new(default_routes().only_paths(is_used_by_page)),
    };
    (relay, asked)
}

async fn respond(
    app: &AppState,
    relay: &Relay,
    method: &str,
    path: &str,
    body: &str,
) -> HttpResponse {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-name", "value")
        .header("accept-encoding", "deflate")
        .header("connection", "keep-alive");
    let request = request.body(Body::from(body.to_owned())).unwrap();
    handle_docs_port(app, relay, request).await
}

async fn send(
    app: &AppState,
    relay: &Relay,
    method: &str,
    path: &str,
    body: &str,
) -> (u16, String) {
    let response = respond(app, relay, method, path, body).await;
    let status = response.status().as_u16();
    let body = to_bytes(Body::new(response.into_body()), usize::MAX)
        .await
        .unwrap();
    (status, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn only_requests_of_the_page_are_forwarded() {
    const SAID: &[&str] =
        &["HTTP/1.1 201 x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"];
    let (relay, mut asked) = relay(SAID, 1).await;
    let app = app(Limits::default()).await;
    for (method, path) in [
        ("GET", "/v2/health/ready"),
        ("GET", "/v2/models/m/stats"),
        ("GET", "/docs/metrics"),
        ("POST", "/v2/models/m/versions/2/infer"),
        ("POST", "/v2/models/m/generate_stream"),
    ] {
        let body = if method == "POST" {
            "{\"inputs\":[]}"
        } else {
            ""
        };
        let (status, text) = send(&app, &relay, method, path, body).await;
        assert_eq!(text, "{}", "{path}");
        let metrics = path == "/docs/metrics";
        assert_eq!(status, 201, "{path}");
        let asked = asked.recv().await.unwrap().to_lowercase();
        let path = if metrics { "/metrics" } else { path };
        assert!(
            asked.starts_with(&format!("{method} {path} http/1.1\r\n").to_lowercase()),
            "{asked}"
        );
        assert!(asked.ends_with(body) && !asked.contains("gzip"), "{asked}");
        assert_eq!(asked.contains("x-name: value"), !metrics, "{asked}");
    }
    for (method, path, status, allowed) in [
        ("POST", "/v2/repository/models/m/unload", 404, None),
        ("POST", "/v2/systemsharedmemory/unregister", 404, None),
        ("GET", "/v2/logging", 404, None),
        ("GET", "/v2/models/stats", 404, None),
        ("GET", "/v2/models/m/config", 404, None),
        ("GET", "/elsewhere", 404, None),
        ("GET", "/v2/models/m/infer", 405, Some("POST")),
        ("POST", "/v2/health/ready", 405, Some("GET")),
        ("POST", "/docs", 405, Some("GET")),
        ("POST", "/docs/metrics", 405, Some("GET")),
    ] {
        let response = respond(&app, &relay, method, path, "").await;
        assert_eq!(response.status(), status, "{path}");
        let header = response.headers().get("allow");
        assert_eq!(
            header.map(HeaderValue::as_bytes),
            allowed.map(str::as_bytes),
            "{path}"
        );
    }
    assert!(asked.try_recv().is_err());
    let (status, text) = send(&app, &relay, "GET", "/openapi.json", "").await;
    assert!(status == 200 && text.contains("Identity"), "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    let result = [
        "/v2/health/ready",
        "/v2/models/Identity/generate",
        "/v2/models/Identity/generate_stream",
        "/v2/models/Identity/infer",
        "/v2/models/Identity/stats",
    ];
    assert_eq!(paths, result);
    assert_eq!(send(&app, &relay, "GET", "/docs", "").await.0, 200);
}

/// Regardless of tritonserver's response, because tritonserver learns about the stop a moment
/// later.
#[tokio::test]
async fn a_stopping_server_is_not_ready() {
    const SAID: &[&str] = &["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"];
    let (relay, mut asked) = relay(SAID, 1).await;
    let app = app(Limits::default()).await;
    let path = "/v2/health/ready";
    assert_eq!(send(&app, &relay, "GET", path, "").await.0, 200);
    asked.recv().await.unwrap();
    app.models.stop_being_ready();
    let refused = send(&app, &relay, "GET", path, "").await;
    assert_eq!(refused, (400, String::new()));
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn events_are_forwarded_when_complete() {
    const SAID: &[&str] = &[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n",
        "7\r\ndata: 1\r\n",
        "2\r\n\n\n\r\n",
        "9\r\ndata: 2\n\n\r\n",
        "0\r\n\r\n",
    ];
    let (relay, _asked) = relay(SAID, 1).await;
    let app = app(Limits::default()).await;
    let request = Request::post("/v2/models/m/generate_stream").body(Body::from("{}"));
    let mut body = Body::new(
        handle_docs_port(&app, &relay, request.unwrap())
            .await
            .into_body(),
    );
    let mut events = Vec::new();
    while let Some(frame) = http_body_util::BodyExt::frame(&mut body).await {
        events.push(frame.unwrap().into_data().unwrap());
    }
    assert_eq!(events, ["data: 1\n\n", "data: 2\n\n"]);
}

#[tokio::test]
async fn a_stream_that_is_cut_ends_with_an_error() {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    const CUT: &[&str] = &[HEAD, "9\r\ndata: 1\n\n\r\n"];
    const AMID: &[&str] = &[HEAD, "9\r\ndata: 1\n\n\r\n", "7\r\ndata: 2\r\n"];
    const TOO_LARGE: &[&str] = &[HEAD, "9\r\ndata: 1\n\n\r\n", "b\r\ndata: 222\n\n\r\n"];
    let limits = Limits {
        max_request_bytes: 10,
        ..Limits::default()
    };
    let app = app(limits).await;
    let path = "/v2/models/m/generate_stream";
    for (pieces, words) in [(CUT, ""), (AMID, ""), (TOO_LARGE, "larger than")] {
        let (relay, _asked) = relay_of(pieces, 1, false).await;
        let (status, text) = send(&app, &relay, "POST", path, "{}").await;
        let expected = "data: 1\n\ndata: {\"error\":\"tritonserver does not respond: ";
        assert!(text.starts_with(expected) && text.contains(words), "{text}");
        assert!(status == 200 && text.ends_with("\"}\n\n"), "{text}");
    }
}

#[tokio::test]
async fn a_stream_ends_with_an_error_if_its_event_cannot_be_reserved() {
    const PIECES: &[&str] = &[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        "9\r\ndata: 1\n\n\r\n",
        "1388\r\n",
    ];
    let event = format!("data: {}\n\n\r\n", "2".repeat(4992));
    let pieces: Vec<&'static str> = [PIECES, &[event.leak()]].concat();
    let limits = Limits {
        max_bytes_in_flight: 1 << 20,
        ..Limits::default()
    };
    let app = app(limits).await;
    let path = "/v2/models/m/generate_stream";
    let budget = app.models.budget();
    let (relay, _asked) = relay_of(pieces.leak(), 2, false).await;
    let (_, text) = send(&app, &relay, "POST", path, "{}").await;
    assert!(text.contains("22222"), "{text}");
    assert_eq!(budget.reserved(), 0);
    let _full = budget.reserve(budget.limit()).unwrap();
    let (status, text) = send(&app, &relay, "POST", path, "{}").await;
    assert!(status == 200 && text.starts_with("data: 1\n\n"), "{text}");
    assert!(
        !text.contains("22222") && text.contains("--max-bytes-in-flight"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn responses_beyond_the_limit_are_refused() {
    const SILENT: &[&str] = &[];
    const TOO_LARGE: &[&str] = &["HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\n0123456789"];
    let limits = Limits {
        max_request_bytes: 9,
        ..Limits::default()
    };
    let app = app(limits).await;
    let path = "/v2/models/m/stats";
    for (pieces, words) in [
        (SILENT, "did not respond in time"),
        (TOO_LARGE, "larger than --http-max-input-size"),
    ] {
        let (relay, _asked) = relay(pieces, 1).await;
        let (status, text) = send(&app, &relay, "GET", path, "").await;
        assert!(status == 503 && text.contains(words), "{text}");
    }
    let (relay, _asked) = relay(SILENT, 1).await;
    let (status, text) = send(&app, &relay, "POST", "/v2/models/m/infer", "0123456789").await;
    assert!(
        status == 400 && text.contains("--http-max-input-size"),
        "{text}"
    );
    let (first, second) = tokio::join!(
        send(&app, &relay, "GET", path, ""),
        send(&app, &relay, "GET", path, "")
    );
    assert!(first.1.contains("did not respond in time"), "{first:?}");
    assert!(second.1.contains("all connections"), "{second:?}");
}

#[tokio::test]
async fn restrictions_of_tritonserver_apply_to_the_relay() {
    const SAID: &[&str] = &["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"];
    for (group, path) in [
        (Group::Statistics, "/v2/models/m/stats"),
        (Group::Statistics, "/docs/metrics"),
        (Group::Metadata, "/openapi.json"),
        (Group::Health, "/v2/health/ready"),
    ] {
        let (relay, mut asked) = relay(SAID, 1).await;
        let mut app = app(Limits::default()).await;
        let secrets = Arc::new(Secrets::new(vec![Secret::new("value")]));
        let name = |name| {
            RequiredHeader::new(
                name,
                HeaderName::from_bytes(name.as_bytes()).ok(),
                Arc::clone(&secrets),
            )
        };
        app.access_control.close(group, &Arc::new(name("key")));
        assert_eq!(send(&app, &relay, "GET", path, "").await.0, 403, "{path}");
        assert!(asked.try_recv().is_err());
        app.access_control.close(group, &Arc::new(name("x-name")));
        assert_eq!(send(&app, &relay, "GET", path, "").await.0, 200, "{path}");
    }
}
