//! A fatal error ends only the process of its function.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Result, Server, finish};

use crate::{MODELS, folder, serve};

const DEADLINE: Duration = Duration::from_secs(20);
const FAILED: &str = "model 'Fragile' failed: -1 is below zero";

/// Returns the body and the status of a response.
fn ask(server: &Server, model: &str, value: i32) -> Result<(String, String)> {
    let url = format!("http://{}/v2/models/{model}/infer", server.banner().http);
    let body = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[{value}]}}]}}"#
    );
    let mut curl = Command::new("curl");
    curl.args(["-s", "-w", "\n%{http_code}", "-d", &body, &url]);
    let answer = finish(&mut curl, DEADLINE)?.success("curl")?;
    let (body, status) = answer.rsplit_once('\n').unwrap_or_default();
    Ok((body.to_owned(), status.to_owned()))
}

/// Causes a fatal error after one successful request.
fn lose(server: &Server) -> Result<()> {
    let (body, status) = ask(server, "Fragile", 1)?;
    assert_eq!(status, "200", "{body}");
    let (body, status) = ask(server, "Fragile", -1)?;
    assert_eq!(status, "500", "{body}");
    assert!(body.contains(FAILED), "{body}");
    Ok(())
}

#[test]
fn process_ends_with_the_reason_of_the_fatal_error() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = serve(engine, &[])?;
        lose(&server)?;
        let (status, log) = server.wait(DEADLINE)?;
        assert_eq!(status.code(), Some(1), "{engine:?}: {log}");
        let reason = format!("model 'Fragile' has a fatal error: {FAILED}");
        let mut lines = log.lines().filter(|line| line.contains(&reason));
        assert!(
            lines.any(|line| line.contains("ERROR")),
            "{engine:?}: {log}"
        );
        let last = log.lines().last().unwrap_or_default();
        assert_eq!(last, format!("error: {reason}"), "{engine:?}");
    }
    Ok(())
}

#[test]
fn stock_tritonserver_continues_with_other_models() -> Result<()> {
    let server = Server::start_native(MODELS.as_ref(), folder(), &[])?;
    lose(&server)?;
    for _ in 0..2 {
        let (body, status) = ask(&server, "Fragile", 1)?;
        assert_eq!(status, "503", "{body}");
        let (body, status) = ask(&server, "Fail", 1)?;
        assert_eq!(status, "200", "{body}");
    }
    server.log_with(&["model 'Fragile' has a fatal error"])?;
    Ok(())
}
