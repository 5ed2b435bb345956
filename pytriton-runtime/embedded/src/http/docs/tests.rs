use std::io::Read;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request};
use flate2::read::GzDecoder;
use pytriton_engine::Limits;
use pytriton_engine::access::{Group, Secret, Secrets, default_routes};
use pytriton_engine::port::Port;

use crate::service::{AppState, OpenApiDocument, RequiredHeader};

use super::super::handle;
use super::super::tests::{app, send};
use super::page::PAGE;

async fn with_page() -> AppState {
    AppState {
        docs: Some(Arc::new(OpenApiDocument::new(default_routes()))),
        ..app(Limits::default()).await
    }
}

#[tokio::test]
async fn page_has_security_headers() {
    let app = with_page().await;
    let got = send(&app, "GET", "/docs?x", &[], "").await;
    assert_eq!(got.status, 200);
    assert_eq!(got.text().as_bytes(), &*PAGE.html.plain);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", PAGE.policy.to_str().unwrap()),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-cache"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(got.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn cached_text_is_compressed_and_has_an_entity_tag() {
    let app = with_page().await;
    for path in ["/docs", "/openapi.json"] {
        is_sent_once_and_small(&app, path).await;
    }
}

async fn is_sent_once_and_small(app: &AppState, path: &str) {
    let plain = send(app, "GET", path, &[], "").await;
    assert_eq!(plain.header("content-encoding"), None, "{path}");
    let got = send(app, "GET", path, &[("accept-encoding", "br, gzip")], "").await;
    assert_eq!(got.header("content-encoding"), Some("gzip"), "{path}");
    assert_eq!(got.header("vary"), Some("accept-encoding"), "{path}");
    let mut text = Vec::new();
    GzDecoder::new(got.bytes()).read_to_end(&mut text).unwrap();
    assert_eq!(text, plain.bytes(), "{path}");
    let tag = got.header("etag").unwrap();
    for (tags, status) in [
        (tag, 304),
        (&*format!("\"x\", W/{tag}"), 304),
        ("\"x\"", 200),
    ] {
        let got = send(app, "GET", path, &[("if-none-match", tags)], "").await;
        assert_eq!(
            (got.status, got.bytes().is_empty()),
            (status, status == 304),
            "{tags}"
        );
    }
}

#[tokio::test]
async fn page_routes_exist() {
    let app = with_page().await;
    let got = send(&app, "GET", "/openapi.json", &[], "").await;
    assert_eq!(
        (got.status, got.header("content-type")),
        (200, Some("application/json"))
    );
    assert!(got.text().contains("x-pytriton-model"), "{}", got.text());
    let got = send(&app, "GET", "/docs/metrics", &[], "").await;
    assert_eq!(got.status, 200);
    for family in ["nv_inference_pending_request_count{", "pytriton_instances{"] {
        assert!(got.text().contains(family), "{}", got.text());
    }
    for (method, path, status) in [
        ("POST", "/docs", 405),
        ("POST", "/openapi.json", 405),
        ("GET", "/docs/", 404),
        ("GET", "/docs/page.js", 404),
        ("GET", "/openapi.yaml", 404),
    ] {
        let got = send(&app, method, path, &[], "").await;
        assert_eq!(got.status, status, "{method} {path}");
        let allowed = (status == 405).then_some("GET");
        assert_eq!(got.header("allow"), allowed, "{method} {path}");
    }
}

#[tokio::test]
async fn page_port_serves_only_requests_of_the_page() {
    let app = with_page().await;
    for (method, path, status) in [
        ("GET", "/docs", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/docs/metrics", 200),
        ("GET", "/v2/health/ready", 200),
        ("GET", "/v2/models/Identity/stats", 200),
        ("POST", "/v2/models/Identity/infer", 400),
        ("POST", "/v2/models/Identity/generate_stream", 400),
        ("GET", "/v2", 404),
        ("GET", "/v2/models/stats", 404),
        ("GET", "/v2/models/Identity/config", 404),
        ("POST", "/v2/repository/index", 404),
        ("POST", "/v2/repository/models/Identity/load", 404),
        ("POST", "/v2/systemsharedmemory/region/r/register", 404),
        ("GET", "/v2/logging", 404),
        ("POST", "/v1/chat/completions", 404),
        ("POST", "/docs", 405),
        ("POST", "/docs/metrics", 405),
        ("POST", "/v2/models/Identity/stats", 405),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.body(Body::empty()).unwrap();
        let response = handle(&app, Port::Docs, request).await;
        assert_eq!(response.status(), status, "{method} {path}");
        let allowed = response.headers().get("allow");
        let expected = (status == 405).then_some(&b"GET"[..]);
        assert_eq!(allowed.map(HeaderValue::as_bytes), expected, "{path}");
    }
}

#[tokio::test]
async fn page_routes_are_missing_if_disabled() {
    let app = app(Limits::default()).await;
    for path in ["/docs", "/openapi.json", "/docs/metrics"] {
        let got = send(&app, "GET", path, &[], "").await;
        assert_eq!(
            (got.status, got.text()),
            (404, r#"{"error":"Not Found"}"#),
            "{path}"
        );
    }
}

#[tokio::test]
async fn page_routes_require_the_token_of_their_group() {
    let table = [
        (Group::Metadata, "/openapi.json"),
        (Group::ModelConfig, "/openapi.json"),
        (Group::Statistics, "/docs/metrics"),
    ];
    for (group, path) in table {
        let mut app = with_page().await;
        let secrets = Arc::new(Secrets::new(vec![Secret::new("open")]));
        let lock = RequiredHeader::new("key", Some(HeaderName::from_static("key")), secrets);
        app.access_control.close(group, &Arc::new(lock));
        let text = r#"{"error":"This API is restricted, expecting header 'key'"}"#;
        for (method, headers) in [("GET", &[][..]), ("GET", &[("key", "no")]), ("POST", &[])] {
            let got = send(&app, method, path, headers, "").await;
            assert_eq!((got.status, got.text()), (403, text), "{path}");
        }
        let got = send(&app, "GET", path, &[("key", "open")], "").await;
        assert_eq!(got.status, 200, "{path}");
        assert_eq!(send(&app, "GET", "/docs", &[], "").await.status, 200);
    }
}
