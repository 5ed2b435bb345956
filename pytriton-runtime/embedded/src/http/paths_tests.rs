//! Status codes of paths and methods.

use pytriton_engine::Limits;

use super::tests::{INFER, app, send};

#[tokio::test]
async fn paths_respond_like_triton() {
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
        let other = if verb == "GET" { "POST" } else { "GET" };
        let allowed = (status == 405).then_some(other);
        assert_eq!(got.header("allow"), allowed, "{verb} {path}");
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
