//! Functions that fail or take their time behind tritonserver, compared with the embedded engine.

use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::engine::start;
use crate::{MODELS, http};

fn input(value: &str) -> String {
    format!(r#"{{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[{value}]}}"#)
}

#[test]
fn only_the_batch_that_fails_fails_and_in_the_same_words() -> Result<()> {
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
fn a_slow_function_keeps_nobody_else_waiting() -> Result<()> {
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
