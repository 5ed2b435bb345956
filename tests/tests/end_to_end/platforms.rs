//! The ports of Vertex AI and SageMaker.

use std::process::Command;

use pytriton_tests::{Result, Server, finish, tritonserver};

use crate::command_line::{DEADLINE, FREE_PORTS, run};
use crate::{MODELS, folder, python};

#[test]
fn engines_return_equal_platform_responses() -> Result<()> {
    let tritonserver = tritonserver(MODELS.as_ref(), folder())?;
    let mut command = python()?.command_by("unshare", &["--map-root-user", "--net"]);
    command
        .args(["platforms.py", MODELS])
        .arg(tritonserver)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    finish(&mut command, 3 * DEADLINE)?.success("platforms.py")?;
    Ok(())
}

/// Returns a server with Vertex AI's environment and no other ports.
fn prediction() -> Command {
    let mut command = Command::new(MODELS);
    command
        .args(["--metrics-port=0", "--allow-openai=false"])
        .env("AIP_MODE", "PREDICTION")
        .env("AIP_HTTP_PORT", "0")
        .env("AIP_HEALTH_ROUTE", "/hc")
        .env("AIP_PREDICT_ROUTE", "/pred");
    command
}

#[test]
fn vertex_ai_environment_is_sufficient() -> Result<()> {
    let mut command = prediction();
    let server = Server::spawn(command.args([
        "--vertex-ai-default-model=I_FP32",
        "--allow-http=true",
        "--http-port=0",
        "--allow-grpc=true",
        "--grpc-port=0",
    ]))?;
    let text = &server.banner().text;
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("vertex"));
    let url = line.unwrap_or_default().trim();
    assert!(url.starts_with("http://127.0.0.1:"), "{text}");
    let mut curl = Command::new("curl");
    curl.args([
        "-sS",
        "--noproxy",
        "*",
        "-w",
        "%{http_code}",
        &format!("{url}/hc"),
    ]);
    assert_eq!(finish(&mut curl, DEADLINE)?.success("curl")?, "200");
    let mut checked = Command::new(MODELS);
    checked.args([
        "check",
        "--metrics-port=0",
        "--allow-openai=false",
        "--vertex-ai-default-model=I_FP32",
    ]);
    for (name, value) in command.get_envs() {
        checked.env(name, value.unwrap_or_default());
    }
    let output = finish(&mut checked, DEADLINE)?.success("check")?;
    for option in ["--allow-http", "--allow-grpc", "--allow-vertex-ai"] {
        let line = output
            .lines()
            .find(|line| line.starts_with(&format!("{option} ")));
        assert!(
            line.is_some_and(|line| line.ends_with("environment AIP_MODE")),
            "{output}"
        );
    }
    Ok(())
}

#[test]
fn sagemaker_environment_sets_port_model_and_health() -> Result<()> {
    // While this file exists, one model fails to load.
    let moody = tempfile::NamedTempFile::new()?;
    let body = r#"{"inputs":[{"name":"x","datatype":"INT32","shape":[1,1],"data":[7]}]}"#;
    for (mode, healthy) in [("ready", "400"), ("live", "200")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_changing_models"));
        command
            .args(["serve", "--allow-sagemaker=true", "--exit-on-error=false"])
            .args(FREE_PORTS)
            .env("MOODY", moody.path())
            .env("SAGEMAKER_BIND_TO_PORT", "0")
            .env("SAGEMAKER_TRITON_DEFAULT_MODEL_NAME", "Plain")
            .env("SAGEMAKER_TRITON_PING_MODE", mode);
        let server = Server::spawn(&mut command)?;
        let text = &server.banner().text;
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("sagemaker"));
        let url = line.unwrap_or_default().trim();
        for (path, given, expected) in [
            ("ping", &[][..], healthy),
            ("invocations", &["-d", body], "200"),
        ] {
            let mut curl = Command::new("curl");
            curl.args(["-sS", "--noproxy", "*", "-w", "%{http_code}"])
                .arg(format!("{url}/{path}"))
                .args(given);
            let output = finish(&mut curl, DEADLINE)?.success("curl")?;
            assert!(output.ends_with(expected), "{mode} {path}: {output}");
        }
    }
    Ok(())
}

#[test]
fn missing_platform_variables_are_reported() -> Result<()> {
    for (arguments, part) in [
        (
            &["--allow-vertex-ai=true"][..],
            "AIP_PREDICT_ROUTE is not defined for Vertex AI endpoint",
        ),
        (
            &[
                "--allow-sagemaker=true",
                "--sagemaker-port=0",
                "--sagemaker-safe-port-range=8000",
            ],
            "Cannot parse pair option due to incorrect number of inputs",
        ),
        (
            &[
                "--allow-sagemaker=true",
                "--sagemaker-safe-port-range=30000-30100",
                "--metrics-port=8002",
            ],
            "The server cannot listen to metrics requests at port 8002, allowed port range is [30000, 30100]",
        ),
    ] {
        let refused = run(MODELS, &[&FREE_PORTS[..4], arguments].concat())?;
        assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    for (model, part) in [
        ("Nope", "Expect the default model 'Nope' is loaded"),
        ("", "contains only a single model"),
    ] {
        let mut command = prediction();
        let refused = finish(
            command.arg(format!("--vertex-ai-default-model={model}")),
            DEADLINE,
        )?;
        assert!(!refused.status.success());
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    Ok(())
}
