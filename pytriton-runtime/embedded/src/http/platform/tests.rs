use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderName, Method};
use http_body_util::BodyExt;
use pytriton_engine::Limits;
use pytriton_engine::access::{Group, Secret, Secrets};

use crate::http::Metrics;
use crate::http::tests::app;
use crate::service::RequiredHeader;

use super::*;

const INFER: &str =
    r#"{"inputs":[{"name":"INPUT_1","shape":[1,2],"datatype":"FP32","data":[1,2]}]}"#;

fn vertex_ai() -> Platform {
    Platform::VertexAi(Arc::new(VertexAi {
        health: "/hc".to_owned(),
        predict: "/pred:x".to_owned(),
        model: "Identity".to_owned(),
        metrics: None,
    }))
}

fn sagemaker(ping: Ping) -> Platform {
    let model = "Identity".to_owned();
    Platform::SageMaker(Arc::new(SageMaker { ping, model }))
}

/// Returns the status, content type and body of a response.
async fn ask(
    platform: &Platform,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String, String) {
    let app_state = app(Limits::default()).await;
    ask_at(&app_state, platform, method, path, headers, body).await
}

async fn ask_at(
    app_state: &AppState,
    platform: &Platform,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String, String) {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = http_body_util::Full::new(bytes::Bytes::from(body.to_owned()));
    let response = platform
        .handle(app_state, request.body(body).unwrap())
        .await;
    let status = response.status().as_u16();
    assert_eq!(response.headers().contains_key(ALLOW), status == 405);
    let content_type = response.headers()[CONTENT_TYPE]
        .to_str()
        .unwrap()
        .to_owned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body = String::from_utf8_lossy(&body).into_owned();
    (status, content_type, body)
}

#[tokio::test]
async fn platform_ports_serve_only_platform_routes() {
    let method = r#"{"error":"Method Not Allowed"}"#;
    let (vertex_ai, sagemaker) = (vertex_ai(), sagemaker(Ping::Ready));
    let table = [
        (&vertex_ai, Method::GET, "/hc", 200, ""),
        (&vertex_ai, Method::POST, "/hc", 405, method),
        (&vertex_ai, Method::GET, "/pred:x", 405, method),
        (&vertex_ai, Method::POST, "/predyx", 400, ""),
        (&vertex_ai, Method::GET, "/v2/health/ready", 400, ""),
        (&sagemaker, Method::GET, "/ping", 200, ""),
        (&sagemaker, Method::POST, "/ping", 405, method),
        (&sagemaker, Method::GET, "/invocations", 405, method),
        (&sagemaker, Method::GET, "/models", 200, r#"{"models":[]}"#),
        (&sagemaker, Method::GET, "/models/x", 404, ""),
        (&sagemaker, Method::POST, "/models/x/invoke", 404, ""),
        (&sagemaker, Method::DELETE, "/models/x", 404, ""),
        (&sagemaker, Method::PUT, "/models", 400, ""),
        (&sagemaker, Method::GET, "/v2/health/ready", 400, ""),
    ];
    for (platform, method, path, status, body) in table {
        let (got, _, said) = ask(platform, method.clone(), path, &[], "").await;
        assert_eq!((got, &*said), (status, body), "{method} {path}");
    }
    for body in ["", "{", r#"{"model_name":"x","url":"/etc"}"#] {
        let (status, _, said) = ask(&sagemaker, Method::POST, "/models", &[], body).await;
        assert_eq!(status, 400);
        assert!(said.contains("models are part of the server"), "{said}");
    }
}

#[tokio::test]
async fn redirect_header_reaches_only_permitted_routes() {
    let table = [
        ("v2", 200),
        ("v2/health/live", 200),
        ("v2/models/Identity", 200),
        ("v2/models/Identity/ready", 200),
        ("v2/models/Identity/config", 200),
        ("v2/models/stats", 200),
        ("v2/repository/index", 200),
        ("v2/models/Nope/infer", 404),
        ("v2/models/Identity/generate", 400),
        ("v2/models/Identity/versions/1/generate_stream", 400),
        ("v2/models/Identity/trace/setting", 400),
        ("v2/logging", 400),
        ("v2/trace/setting", 400),
        ("v1/models", 400),
        ("/v2", 400),
        ("metrics", 400),
        ("", 400),
    ];
    for (path, expected) in table {
        let redirect = [("X-Vertex-Ai-Triton-Redirect", path)];
        let (status, ..) = ask(&vertex_ai(), Method::POST, "/pred:x", &redirect, "").await;
        assert_eq!(status, expected, "{path}");
        let (status, ..) = ask(&vertex_ai(), Method::GET, "/pred:x", &redirect, "").await;
        assert_eq!(status, 405, "{path}");
    }
}

#[tokio::test]
async fn a_content_type_contains_the_length_of_the_json() {
    let binary = "application/vnd.vertex-ai-triton.binary+json;json-header-size=";
    let range = "inference header size should be in range (0, ";
    let table = [
        (format!("{binary}9999"), range),
        (format!("{binary}-1"), range),
        (
            format!("x {binary}1"),
            "expect MIME type for binary data starts with 'application/vnd",
        ),
    ];
    for (content_type, text) in table {
        let headers = [("Content-Type", &*content_type)];
        let (status, _, said) = ask(&vertex_ai(), Method::POST, "/pred:x", &headers, INFER).await;
        assert_eq!(status, 400, "{said}");
        assert!(said.contains(text), "{said}");
    }
}

#[tokio::test]
async fn restrictions_apply_to_platform_ports() {
    let mut app_state = app(Limits::default()).await;
    let secrets = Arc::new(Secrets::new(vec![Secret::new("Sesam")]));
    let key = HeaderName::from_static("key");
    let lock = Arc::new(RequiredHeader::new("key", Some(key), secrets));
    for group in Group::ALL {
        app_state.access_control.close(group, &lock);
    }
    let metrics = Some(Arc::new(Metrics::new(
        Arc::clone(&app_state.models),
        Vec::new(),
    )));
    let vertex_ai = Platform::VertexAi(Arc::new(VertexAi {
        health: "/hc".to_owned(),
        predict: "/pred".to_owned(),
        model: "Identity".to_owned(),
        metrics,
    }));
    let sagemaker = sagemaker(Ping::Live);
    let redirects = [
        "v2",
        "v2/health/live",
        "v2/models/Identity",
        "v2/models/Identity/infer",
        "v2/models/Identity/config",
        "v2/models/stats",
        "v2/repository/index",
        "v2/repository/models/Identity/load",
        "v2/systemsharedmemory/status",
        "metrics",
    ];
    let redirects = redirects.map(|path| (&vertex_ai, Method::POST, "/pred", Some(path)));
    let others = [
        (&vertex_ai, Method::GET, "/hc", None),
        (&vertex_ai, Method::POST, "/pred", None),
        (&sagemaker, Method::GET, "/ping", None),
        (&sagemaker, Method::POST, "/invocations", None),
        (&sagemaker, Method::GET, "/models", None),
        (&sagemaker, Method::POST, "/models", None),
        (&sagemaker, Method::DELETE, "/models/x", None),
    ];
    for (platform, method, path, redirect) in redirects.into_iter().chain(others) {
        for (secret, open) in [("Sesam", true), ("sesam", false), ("", false)] {
            let mut headers = vec![("key", secret)];
            headers.extend(redirect.map(|redirect| ("X-Vertex-Ai-Triton-Redirect", redirect)));
            let asked = ask_at(&app_state, platform, method.clone(), path, &headers, "").await;
            assert_eq!(
                asked.0 != 403,
                open,
                "{method} {path} {redirect:?} {asked:?}"
            );
            assert!(
                open || asked.2.contains("expecting header 'key'"),
                "{asked:?}"
            );
        }
    }
}
