//! Models that answer a request any number of times, driven by NVIDIA's clients and PyTriton's.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use pytriton_tests::{Engine, Python, Result, Server};

const TESTS: &str = "test_decoupled.py";

/// What tritonserver 2.51 does not always outlive.
const TAKEN_BACK: &str = "test_taken_back.py";

/// As often as it may be ended by that before it is none of chance.
const TIMES: usize = 5;

/// In which a tritonserver that crashes is gone, also if it hangs in that.
const GONE: Duration = Duration::from_secs(20);

fn drive(serve: impl Fn() -> Result<Server>) -> Result<()> {
    let python = Python::with_pytriton_clients(crate::folder())?;
    python.test(TESTS, &serve()?)?;
    for _ in 0..TIMES {
        let server = serve()?;
        let Err(error) = python.test(TAKEN_BACK, &server) else {
            return Ok(());
        };
        if !has_crashed(server)? {
            return Err(error);
        }
    }
    python.test(TAKEN_BACK, &serve()?)
}

/// Whether a tritonserver has, by itself or below a server of ours.
fn has_crashed(server: Server) -> Result<bool> {
    if server.engine() == Engine::Embedded {
        return Ok(false);
    }
    // One that is there ends neither.
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
