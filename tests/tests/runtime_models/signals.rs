//! Signals to a program that serves, which is this binary in a second process.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pytriton::Error;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::{Engine, Server};
use rustix::process::{Pid, Signal, kill_process};

use crate::{DEADLINE, Result, model, triton};

/// The environment variable with the path of a file that the other process creates while it loads.
const LOADING: &str = "PYTRITON_TEST_LOADING";

/// The test below runs this one in a process of its own.
#[test]
#[ignore = "it never ends by itself"]
fn serves_a_model_that_is_never_loaded() -> Result<()> {
    let file = env::var(LOADING)?;
    let hanging = PerBatch.stateful(move |_| -> std::result::Result<(), Error> {
        fs::write(&file, "")?;
        loop {
            std::thread::park();
        }
    });
    let triton = triton(Engine::Embedded)?;
    triton.bind(model("hanging"), Function::new(hanging, |_| Ok(Vec::new())))?;
    Ok(triton.serve()?)
}

#[test]
fn signal_ends_the_server_while_a_model_loads() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("loading");
    let mut child = Command::new(env::current_exe()?)
        .args([
            "--ignored",
            "--exact",
            "signals::serves_a_model_that_is_never_loaded",
        ])
        .env(LOADING, &file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    let ended = end(&mut child, &file, begun);
    child.kill()?;
    child.wait()?;
    // The exit code of a failed test, so no signal has killed the process.
    assert_eq!(ended?.code(), Some(101));
    Ok(())
}

/// The test below runs this one in a process of its own.
#[test]
#[ignore = "it never ends by itself"]
fn serves_twice_and_then_works() -> Result<()> {
    for round in [1, 2] {
        let triton = triton(Engine::Embedded)?;
        let loaded = PerBatch.stateful(move |_| {
            eprintln!("loaded {round}");
            Ok(())
        });
        triton.bind(model("m"), Function::new(loaded, |_| Ok(Vec::new())))?;
        // The signal may arrive before the server is ready.
        let _ = triton.serve();
        eprintln!("served {round}");
    }
    loop {
        std::thread::park();
    }
}

#[test]
fn signals_end_a_program_whose_server_has_ended() -> Result<()> {
    for signal in ["INT", "TERM"] {
        let server = Server::spawn(Command::new(env::current_exe()?).args([
            "--ignored",
            "--exact",
            "--nocapture",
            "signals::serves_twice_and_then_works",
        ]))?;
        for round in [1, 2] {
            server.log_with(&[&format!("loaded {round}")])?;
            server.signal(signal)?;
            server.log_with(&[&format!("served {round}")])?;
        }
        server.signal(signal)?;
        let (status, log) = server.wait(DEADLINE)?;
        assert_eq!(status.code(), Some(1), "{log}");
        let error = format!("error: SIG{signal} was received after the server had ended");
        assert!(log.contains(&error), "{log}");
    }
    Ok(())
}

fn end(child: &mut Child, file: &Path, begun: Instant) -> Result<ExitStatus> {
    let id = Pid::from_child(child);
    while !file.exists() {
        tick(begun)?;
    }
    kill_process(id, Signal::TERM)?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        tick(begun)?;
    }
}

fn tick(begun: Instant) -> Result<()> {
    if begun.elapsed() > DEADLINE {
        return Err("it takes too long".into());
    }
    std::thread::sleep(Duration::from_millis(5));
    Ok(())
}
