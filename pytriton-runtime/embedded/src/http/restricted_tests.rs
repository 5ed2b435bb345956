//! Restricted groups.

use std::sync::Arc;

use axum::http::HeaderName;
use pytriton_engine::Limits;
use pytriton_engine::access::{Group, Secret, Secrets};

use crate::service::{AccessControl, RequiredHeader};

use super::tests::{app, send};

/// Restricts every group, each with its own header.
fn closed() -> AccessControl {
    let mut access_control = AccessControl::default();
    let secrets = Arc::new(Secrets::new(vec![Secret::new("open")]));
    for group in Group::ALL {
        let name = format!("Key-{}", group.name());
        let header = HeaderName::from_bytes(name.as_bytes()).unwrap();
        let lock = RequiredHeader::new(&name, Some(header), Arc::clone(&secrets));
        access_control.close(group, &Arc::new(lock));
    }
    access_control
}

#[tokio::test]
async fn access_is_checked_before_anything_but_the_path() {
    let mut app = app(Limits::default()).await;
    app.access_control = closed();
    let table = [
        ("GET", "/v2/health/live", "health", 200),
        ("POST", "/v2/health/ready", "health", 405),
        ("GET", "/v2/models/Nope", "metadata", 404),
        ("POST", "/v2/models/Nope/infer", "inference", 404),
        ("OPTIONS", "/v2/models/Identity/generate", "inference", 405),
        ("DELETE", "/v2/models/stats", "statistics", 405),
        ("POST", "/v2/repository/index", "model-repository", 200),
        (
            "POST",
            "/v2/repository/models/m/load",
            "model-repository",
            503,
        ),
        ("POST", "/v2/models/Nope/config", "model-config", 405),
        ("GET", "/v2/logging", "logging", 200),
    ];
    for (method, path, group, status) in table {
        let key = format!("Key-{group}");
        let text = format!(r#"{{"error":"This API is restricted, expecting header '{key}'"}}"#);
        for headers in [
            &[][..],
            &[(key.as_str(), "wrong")],
            &[("key-other", "open")],
        ] {
            let got = send(&app, method, path, headers, "{").await;
            assert_eq!((got.status, got.text()), (403, text.as_str()), "{path}");
            assert_eq!(got.header("content-type"), Some("text/plain"));
        }
        let key = key.to_uppercase();
        let got = send(&app, method, path, &[(&key, "open")], "").await;
        assert_eq!(got.status, status, "{path}: {}", got.text());
    }
    let got = send(&app, "GET", "/v2/nope", &[], "").await;
    assert_eq!(got.status, 404);
}
