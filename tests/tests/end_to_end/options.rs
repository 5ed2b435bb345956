//! What the embedded engine makes of its options.

use std::process::Command;

use pytriton_tests::{Result, finish};

use crate::MODELS;
use crate::command_line::{DEADLINE, FREE_PORTS, check, run};

#[test]
fn a_pattern_that_is_none_is_refused() -> Result<()> {
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
fn a_cache_that_is_none_is_refused() -> Result<()> {
    for (setting, part) in [
        ("local", "expected `local,size=…`, found `local`"),
        ("local,size=much", "from 1024 bytes, found `much`"),
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
    let fine = [&check()[..], &["--cache-config", "local,size=1024"]].concat();
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
        ("--trace-config=level=TIMESTAMPS", "--trace-config"),
    ] {
        for arguments in [check(), FREE_PORTS.to_vec()] {
            let refused = run(MODELS, &[&arguments[..], &[option]].concat())?;
            let said = refused.stderr;
            assert_eq!(refused.status.code(), Some(1), "{option}: {said}");
            assert!(said.contains(name), "{option}: {said}");
            assert!(said.contains("`--engine tritonserver`"), "{said}");
            assert!(!said.contains("secret"), "{said}");
            assert!(!refused.stdout.contains("ready"));
            assert!(!refused.stdout.contains("secret"), "{}", refused.stdout);
        }
    }
    let harmless = ["--http-thread-count=8", "--allow-gpu-metrics=false"];
    let fine = run(MODELS, &[&check()[..], &harmless].concat())?;
    assert!(fine.status.success(), "{}", fine.stderr);
    let told = "option --http-thread-count has no effect";
    assert_eq!(fine.stderr.matches("has no effect").count(), 1);
    assert!(fine.stderr.contains(told), "{}", fine.stderr);
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
fn rust_log_says_what_is_logged() -> Result<()> {
    let logged = |directives: &str, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(MODELS);
        command.args(check()).args(arguments);
        let checked = finish(command.env("RUST_LOG", directives), DEADLINE)?;
        assert!(checked.status.success(), "{}", checked.stderr);
        Ok(checked.stderr)
    };
    assert_eq!(logged("warn", &["--log-verbose", "2"])?, "");
    assert!(logged("", &[])?.contains("engine embedded"));
    assert!(logged("pytriton_runtime=info", &[])?.contains("engine embedded"));
    let misread = logged("h2=loud", &[])?;
    assert!(misread.contains("RUST_LOG has no effect"), "{misread}");
    assert!(misread.contains("engine embedded"), "{misread}");
    Ok(())
}
