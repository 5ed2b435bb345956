//! SIGTERM and Ctrl-C: accepted requests are answered, the exit code is 0.

use std::time::Duration;

use pytriton_tests::{Engine, Result, Server};

use crate::{MODELS, python, serve};

/// Far longer than an idle server needs, shorter than its own deadline for accepted requests.
const EXIT: Duration = Duration::from_secs(10);

/// Starts a server, stops it under load, and waits for its end.
fn stop_under_load(engine: Engine) -> Result<()> {
    let python = python()?;
    let server = serve(engine, &[])?;
    python.test("test_shutdown.py", &server)?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn under_load_no_response_is_lost() -> Result<()> {
    stop_under_load(Engine::Embedded)
}

#[test]
fn under_load_no_response_is_lost_by_tritonserver() -> Result<()> {
    stop_under_load(Engine::Tritonserver)
}

#[test]
fn idle_servers_end_at_once() -> Result<()> {
    for signal in ["TERM", "INT"] {
        let server = Server::start(MODELS, &[])?;
        server.signal(signal)?;
        let (status, log) = server.wait(EXIT)?;
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(log.contains("stopping"), "{log}");
        assert!(!log.contains('\u{1b}'), "a file has no colours: {log}");
    }
    Ok(())
}
