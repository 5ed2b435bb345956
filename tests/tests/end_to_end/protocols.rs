//! The protocols of each port, and restricted routes.

use std::process::Command;

use pytriton_tests::{Engine, Python, Result, finish};

use crate::command_line::DEADLINE;
use crate::serve;

/// Returns the status, the HTTP version and the body of a response to curl.
fn curl(arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("curl");
    command
        .args([
            "-sS",
            "--noproxy",
            "*",
            "-w",
            " %{http_code} %{http_version}",
        ])
        .args(arguments);
    finish(&mut command, DEADLINE)?.success("curl")
}

const REQUEST: &str =
    r#"{"inputs":[{"name":"INPUT_1","shape":[1,2],"datatype":"FP32","data":[1,2]}]}"#;

#[test]
fn http2_with_prior_knowledge_is_supported_on_http_ports() -> Result<()> {
    let server = serve(Engine::Embedded, &[])?;
    let banner = server.banner();
    let openai = banner.openai.clone().unwrap_or_default();
    for (option, version) in [("--http2-prior-knowledge", "2"), ("--http1.1", "1.1")] {
        let ready = format!("http://{}/v2/health/ready", banner.http);
        let expected = format!("{{\"ready\":true}} 200 {version}");
        assert_eq!(curl(&[option, &ready])?, expected);
        let infer = format!("http://{}/v2/models/I_FP32/infer", banner.http);
        let answer = curl(&[option, "-d", REQUEST, &infer])?;
        assert!(answer.contains("\"data\":[1.0,2.0]"), "{answer}");
        assert!(answer.ends_with(&format!(" 200 {version}")), "{answer}");
        for url in [
            format!("http://{}/metrics", banner.metrics),
            format!("http://{openai}/v1/models"),
        ] {
            let answer = curl(&[option, &url])?;
            assert!(
                answer.ends_with(&format!(" 200 {version}")),
                "{url} {answer}"
            );
        }
    }
    Ok(())
}

#[test]
fn kserve_client_is_served() -> Result<()> {
    // KServe's client expects responses that tritonserver does not send.
    let server = serve(Engine::Embedded, &[])?;
    let python = Python::with_kserve(crate::folder())?;
    python.run("kserve_client.py", [&*server.banner().http])
}

#[test]
fn openai_routes_can_be_disabled() -> Result<()> {
    let server = serve(Engine::Embedded, &["--allow-openai=false"])?;
    assert_eq!(server.banner().openai, None);
    let models = format!("http://{}/v1/models", server.banner().http);
    let answer = curl(&[&models])?;
    assert_eq!(answer, "{\"error\":\"Not Found\"} 404 1.1");
    let without_openai = serve(Engine::Tritonserver, &["--allow-openai=false"])?;
    assert_eq!(without_openai.banner().openai, None);
    Ok(())
}

#[test]
fn tritonserver_serves_only_grpc_without_sidecar_ports() -> Result<()> {
    let only_grpc = [
        "--allow-http=false",
        "--allow-openai=false",
        "--allow-docs=false",
    ];
    match serve(Engine::Tritonserver, &only_grpc) {
        Err(pytriton_tests::HarnessError::Banner { label, banner }) => {
            assert_eq!(label, "http");
            assert!(banner.contains("grpc://"), "{banner}");
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}
