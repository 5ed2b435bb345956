//! Functions that fail or are slow with the tritonserver engine, compared with the embedded engine.

use std::path::Path;
use std::time::{Duration, Instant};

use pytriton_tests::{Engine, Result, Server};

use crate::engine::start;
use crate::{EXIT, MODELS, http};

fn input(value: &str) -> String {
    format!(r#"{{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[{value}]}}"#)
}

#[test]
fn failure_affects_only_its_batch_and_has_the_same_text_on_both_engines() -> Result<()> {
    let home = tempfile::tempdir()?;
    let tritonserver = start(home.path(), &[])?;
    let embedded = Server::start(MODELS, &[])?;
    let table = [
        ("Fail", "-1 is below zero"),
        ("Panic", "-1 is below zero"),
        ("WrongRows", "WrongRows"),
        ("WrongShape", "WrongShape"),
        ("Raw", "has a value below zero"),
    ];
    for (model, expected) in table {
        for round in 0..3 {
            let ask =
                |server: &Server, value| http::infer(&server.banner().http, model, &input(value));
            let answers = [&tritonserver, &embedded].map(|server| ask(server, "-1"));
            let [theirs, ours] = answers;
            let (theirs, ours) = (theirs?, ours?);
            assert!(theirs.status >= 400, "{model} {round}: {theirs:?}");
            assert!(theirs.body.contains(expected), "{model}: {theirs:?}");
            assert_eq!(theirs, ours, "{model}");
            for server in [&tritonserver, &embedded] {
                assert_eq!(ask(server, "1")?.status, 200, "{model}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_slow_function_does_not_delay_other_models() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = start(home.path(), &[])?;
    let address = &server.banner().http;
    let begun = Instant::now();
    let nap = http::nap(address, "Slow", 1500)?;
    for _ in 0..5 {
        assert!(http::right(address));
    }
    assert!(begun.elapsed() < Duration::from_millis(1200));
    assert_eq!(http::receive(nap)?.status, 200);
    assert!(begun.elapsed() >= Duration::from_millis(1500));
    Ok(())
}

/// The engines with a limit on the duration of a call.
const LIMITED: [Engine; 2] = [Engine::Embedded, Engine::Tritonserver];

#[test]
fn log_reports_stalled_and_recovered_instances() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for engine in LIMITED {
        let server = Server::start_with(engine, folder, MODELS, &[])?;
        let address = &server.banner().http;
        let answer = http::receive(http::nap(address, "Limited", 1500)?)?;
        assert!(answer.status >= 503, "{answer:?}");
        let ready = || http::get(address, "/v2/models/Limited/ready").map(|answer| answer.status);
        let begun = Instant::now();
        while ready()? != 200 {
            assert!(begun.elapsed() < EXIT, "{}", server.log()?);
        }
        let log = server.log_with(&["has recovered"])?;
        let mut lines = log.lines().filter(|line| line.contains("the instance "));
        let warned = lines.next().unwrap_or_default();
        for part in [
            "WARN",
            r#"model="Limited" number=0"#,
            "the instance has stalled: a call has taken longer than 0.5 s",
        ] {
            assert!(warned.contains(part), "{log}");
        }
        let back = lines.next().unwrap_or_default();
        for part in ["INFO", r#"model="Limited" number=0"#, "has recovered"] {
            assert!(back.contains(part), "{log}");
        }
        assert_eq!(lines.next(), None, "{log}");
    }
    Ok(())
}

#[test]
fn endless_call_does_not_prevent_shutdown() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for engine in LIMITED {
        let server = Server::start_with(engine, folder, MODELS, &[])?;
        let hanging = http::nap(&server.banner().http, "Limited", 3_600_000)?;
        http::receive(hanging)?;
        server.signal("TERM")?;
        let (status, log) = server.wait(EXIT)?;
        assert!(status.success(), "{log}");
    }
    Ok(())
}
