//! Models are loaded and unloaded while others are used.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Result, Server, finish};

use crate::command_line::run;
use crate::{folder, python};

const MODELS: &str = env!("CARGO_BIN_EXE_changing_models");

const DEADLINE: Duration = Duration::from_secs(30);

/// Starts a server with these arguments. While the file exists, one of its models fails to load.
fn serve(engine: Engine, moody: &Path, arguments: &[&str]) -> Result<Server> {
    let mut command = engine.command(MODELS.as_ref(), folder())?;
    // The platform agents that load and unload models send no token.
    command.args([
        "--http-port=0",
        "--grpc-port=0",
        "--metrics-port=0",
        "--restricted-endpoints=",
    ]);
    command.args(arguments).env("MOODY", moody);
    Server::spawn_with(engine, &mut command)
}

/// Returns the models in the banner, and whether each is loaded.
fn banner_models(server: &Server) -> Vec<(&str, bool)> {
    let lines = server.banner().text.lines();
    let models = lines.filter_map(|line| line.trim_start().strip_prefix("model "));
    models
        .filter_map(|line| {
            let (name, _) = line.trim_start().split_once(' ')?;
            Some((name, !line.ends_with("; not loaded")))
        })
        .collect()
}

fn drive(engine: Engine) -> Result<()> {
    let moody = tempfile::tempdir()?;
    let file = moody.path().join("broken");
    let explicit = ["--model-control-mode=explicit", "--load-model=Plain"];
    let server = serve(engine, &file, &explicit)?;
    let expected = [("Moody", false), ("Numbered", false), ("Plain", true)];
    assert_eq!(banner_models(&server), expected);
    let file = file.to_string_lossy();
    python()?.test_with("test_control.py", &server, &[("MOODY", &file)])
}

#[test]
fn models_are_loaded_and_unloaded() -> Result<()> {
    drive(Engine::Embedded)
}

#[test]
fn tritonserver_models_are_loaded_and_unloaded() -> Result<()> {
    drive(Engine::Tritonserver)
}

/// Tests a server with a model that fails to load.
fn without_one(engine: Engine) -> Result<()> {
    let moody = tempfile::NamedTempFile::new()?;
    let arguments = ["--exit-on-error=false"];
    let server = serve(engine, moody.path(), &arguments)?;
    let expected = [("Moody", false), ("Numbered", true), ("Plain", true)];
    assert_eq!(banner_models(&server), expected);
    python()?.test("test_failed_load.py", &server)?;
    let arguments = ["--exit-on-error=false", "--strict-readiness=false"];
    let server = serve(engine, moody.path(), &arguments)?;
    python()?.test_with("test_failed_load.py", &server, &[("LENIENT", "1")])
}

#[test]
fn server_continues_without_a_failed_model() -> Result<()> {
    without_one(Engine::Embedded)
}

#[test]
fn tritonserver_continues_without_a_failed_model() -> Result<()> {
    without_one(Engine::Tritonserver)
}

/// 2.51 does not catch an exception: the log names it, not the last frame of the stack trace.
#[test]
fn load_that_crashes_tritonserver_is_reported_with_its_cause() -> Result<()> {
    let moody = tempfile::tempdir()?;
    let file = moody.path().join("broken");
    let explicit = ["--model-control-mode=explicit", "--load-model=Plain"];
    let server = serve(Engine::Tritonserver, &file, &explicit)?;
    let address = &server.banner().http;
    let url = format!("http://{address}/v2/repository/models/Plain/load");
    // The longest name of a file has 255 bytes.
    let path = "a".repeat(300);
    let config = r#"{\"name\":\"Plain\",\"backend\":\"pytriton\"}"#;
    let body = format!(r#"{{"parameters":{{"config":"{config}","file:{path}/b":"YQ=="}}}}"#);
    let mut curl = Command::new("curl");
    curl.args(["-s", "--noproxy", "*", "-d", &body, &url]);
    let refused = finish(&mut curl, DEADLINE)?;
    assert!(!refused.status.success(), "{}", refused.stdout);
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(1), "{log}");
    let mut lines = log.lines().rev().skip_while(|line| line.starts_with("  "));
    let first = lines.next().unwrap_or_default();
    let (_, causes) = log.rsplit_once(first).unwrap_or_default();
    assert_eq!(
        first,
        "error: tritonserver was killed by signal 6 (SIGABRT)"
    );
    let mut causes = causes.lines().skip(1).map(str::trim);
    let exception = "terminate called after throwing an instance of 'std::filesystem::";
    assert!(
        causes.next().unwrap_or_default().starts_with(exception),
        "{log}"
    );
    let text = causes.next().unwrap_or_default();
    assert!(text.contains("File name too long"), "{log}");
    assert!(!causes.any(|cause| cause.contains("# ")), "{log}");
    Ok(())
}

#[test]
fn invalid_model_control_options_are_refused() -> Result<()> {
    let explicit = "--model-control-mode=explicit";
    let table: [(&[&str], &str); 5] = [
        (
            &["--model-control-mode=x"],
            "invalid argument for --model-control-mode",
        ),
        (
            &["--load-model=Plain"],
            "Use of '--load-model' requires setting '--model-control-mode=explicit' as well.",
        ),
        (
            &[explicit, "--load-model=*", "--load-model=Plain"],
            "Wildcard model name '*' must be the ONLY startup model",
        ),
        (
            &[explicit, "--load-model=Nope"],
            "failed to load all models",
        ),
        (&["--model-control-mode=poll"], "has no repository to poll"),
    ];
    for (arguments, expected) in table {
        let ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
        let refused = run(MODELS, &[&ports[..], arguments].concat())?;
        assert!(!refused.status.success(), "{arguments:?}");
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
    Ok(())
}
