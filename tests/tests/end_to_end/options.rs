//! The options of the embedded engine.

use std::path::Path;
use std::process::Command;

use pytriton_tests::{Engine, Result, finish};

use crate::command_line::{DEADLINE, FREE_PORTS, check, run};
use crate::{MODELS, folder, python, serve};

#[test]
fn an_invalid_pattern_is_refused() -> Result<()> {
    for option in [
        "--http-header-forward-pattern",
        "--grpc-header-forward-pattern",
    ] {
        let refused = run(MODELS, &[&FREE_PORTS[..], &[option, "("]].concat())?;
        assert!(!refused.status.success(), "{option}");
        assert!(refused.stderr.contains('('), "{}", refused.stderr);
    }
    Ok(())
}

#[test]
fn an_invalid_cache_is_refused() -> Result<()> {
    for (setting, part) in [
        ("local", "expected `local,size=…`, found `local`"),
        ("local,size=much", "at least 192 bytes, found `much`"),
        ("local,time=5", "no setting `time`"),
        ("redis,host=localhost", "no cache `redis`"),
    ] {
        for arguments in [check(), FREE_PORTS.to_vec()] {
            let arguments = [&arguments[..], &["--cache-config", setting]].concat();
            let refused = run(MODELS, &arguments)?;
            assert_eq!(refused.status.code(), Some(1), "{setting}");
            assert!(refused.stderr.contains(part), "{}", refused.stderr);
        }
    }
    let fine = [&check()[..], &["--cache-config", "local,size=192"]].concat();
    let fine = run(MODELS, &fine)?;
    assert!(fine.status.success(), "{}", fine.stderr);
    assert!(!fine.stderr.contains("has no effect"), "{}", fine.stderr);
    Ok(())
}

#[test]
fn an_option_that_the_engine_cannot_honour_is_refused() -> Result<()> {
    for (option, name) in [
        ("--allow-gpu-metrics=true", "--allow-gpu-metrics"),
        ("--allow-cpu-metrics=false", "--allow-cpu-metrics"),
        ("--model-repository=/models", "--model-repository"),
        ("--rate-limit=execution_count", "--rate-limit"),
    ] {
        for arguments in [check(), FREE_PORTS.to_vec()] {
            let refused = run(MODELS, &[&arguments[..], &[option]].concat())?;
            let stderr = refused.stderr;
            assert_eq!(refused.status.code(), Some(1), "{option}: {stderr}");
            assert!(stderr.contains(name), "{option}: {stderr}");
            assert!(stderr.contains("`--engine tritonserver`"), "{stderr}");
            assert!(!stderr.contains("secret"), "{stderr}");
            assert!(!refused.stdout.lines().any(|line| line == "ready"));
            assert!(!refused.stdout.contains("secret"), "{}", refused.stdout);
        }
    }
    let harmless = ["--http-thread-count=8", "--allow-gpu-metrics=false"];
    let fine = run(MODELS, &[&check()[..], &harmless].concat())?;
    assert!(fine.status.success(), "{}", fine.stderr);
    let expected = "option --http-thread-count has no effect";
    assert_eq!(fine.stderr.matches("has no effect").count(), 1);
    assert!(fine.stderr.contains(expected), "{}", fine.stderr);
    let mut variable = Command::new(MODELS);
    variable
        .args(check())
        .env("PYTRITON_TRITON_CONFIG_ALLOW_GPU_METRICS", "true");
    let refused = finish(&mut variable, DEADLINE)?;
    assert!(refused.stderr.contains("--allow-gpu-metrics"));
    assert_eq!(refused.status.code(), Some(1));
    Ok(())
}

#[test]
fn limits_have_bounds_and_require_the_embedded_engine() -> Result<()> {
    for (option, bounds) in [
        ("--http-max-input-size=0", "0 is not in 1..="),
        ("--grpc-max-input-size=0", "0 is not in 1..="),
        ("--max-header-bytes=1023", "1023 is not in 1024..=262144"),
        ("--max-headers=1000000", "1000000 is not in 16..=4096"),
        ("--max-connections=0", "0 is not in 1..="),
        ("--header-timeout-secs=0", "0 is not in 1..="),
        ("--body-timeout-secs=-1", "invalid value '-1'"),
    ] {
        let refused = run(MODELS, &[&check()[..], &[option]].concat())?;
        assert_eq!(refused.status.code(), Some(2), "{option}");
        assert!(refused.stderr.contains(bounds), "{}", refused.stderr);
    }
    for option in [
        "--grpc-max-input-size=1000",
        "--max-headers=50",
        "--access-log=json",
    ] {
        let mut command = Engine::Tritonserver.command(Path::new(MODELS), folder())?;
        command.args(check()).arg(option);
        let refused = finish(&mut command, DEADLINE)?;
        let name = option.split('=').next().unwrap_or_default();
        let expected = format!("the tritonserver engine does not support {name}:");
        assert_eq!(refused.status.code(), Some(1), "{option}");
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
    Ok(())
}

#[test]
fn limit_options_are_applied() -> Result<()> {
    let limits = [
        "--http-max-input-size=100000",
        "--grpc-max-input-size=50000",
        "--max-header-bytes=2048",
        "--max-headers=20",
        "--max-connections=8",
        "--header-timeout-secs=2",
        "--body-timeout-secs=1",
    ];
    let server = serve(Engine::Embedded, &limits)?;
    python()?.test("test_limits.py", &server)
}

#[test]
fn rust_log_selects_log_lines() -> Result<()> {
    let logged = |directives: &str, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(MODELS);
        command.args(check()).args(arguments);
        let checked = finish(command.env("RUST_LOG", directives), DEADLINE)?;
        assert!(checked.status.success(), "{}", checked.stderr);
        Ok(checked.stderr)
    };
    let quiet = logged("error", &["--log-verbose", "2"])?;
    assert_eq!(quiet, "");
    assert!(logged("", &[])?.contains("engine embedded"));
    assert!(logged("pytriton_runtime=info", &[])?.contains("engine embedded"));
    let misread = logged("h2=loud", &[])?;
    assert!(misread.contains("RUST_LOG has no effect"), "{misread}");
    assert!(misread.contains("engine embedded"), "{misread}");
    Ok(())
}

#[test]
fn server_metadata_has_the_name_of_the_server() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = serve(engine, &["--id=mine", "--grpc-keepalive-time=60000"])?;
        let mut curl = Command::new("curl");
        let url = format!("http://{}/v2", server.banner().http);
        let metadata = finish(curl.args(["-sSf", "--noproxy", "*", &url]), DEADLINE)?;
        let metadata = metadata.success("curl")?;
        assert!(metadata.starts_with(r#"{"name":"mine","#), "{metadata}");
    }
    Ok(())
}
