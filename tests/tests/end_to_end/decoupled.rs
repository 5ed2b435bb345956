//! Models with any number of responses, called by NVIDIA's and PyTriton's clients.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use pytriton_tests::{Engine, Python, Result, Server};

const TESTS: &str = "test_decoupled.py";

/// The test that can crash tritonserver 2.51.
const CANCELLATION: &str = "test_cancellation.py";

/// The number of crashes in a row that would not be coincidental.
const TIMES: usize = 5;

/// The time limit for the end of a crashed tritonserver, which may hang.
const GONE: Duration = Duration::from_secs(20);

fn drive(serve: impl Fn() -> Result<Server>) -> Result<()> {
    let python = Python::with_pytriton_clients(crate::folder())?;
    python.test(TESTS, &serve()?)?;
    for _ in 0..TIMES {
        let server = serve()?;
        let Err(error) = python.test(CANCELLATION, &server) else {
            return Ok(());
        };
        if !has_crashed(server)? {
            return Err(error);
        }
    }
    python.test(CANCELLATION, &serve()?)
}

/// Returns whether a tritonserver has crashed, on its own or as a child.
fn has_crashed(server: Server) -> Result<bool> {
    if server.engine() == Engine::Embedded {
        return Ok(false);
    }
    // A server that is still running has not crashed.
    let Ok((status, log)) = server.wait(GONE) else {
        return Ok(false);
    };
    Ok(status.signal().is_some() || log.contains("error: tritonserver was killed by signal "))
}

#[test]
fn embedded() -> Result<()> {
    drive(|| crate::serve(Engine::Embedded, &[]))
}

#[test]
fn native() -> Result<()> {
    drive(|| Server::start_native(crate::MODELS.as_ref(), crate::folder(), &[]))
}

#[test]
fn tritonserver() -> Result<()> {
    drive(|| crate::serve(Engine::Tritonserver, &[]))
}
