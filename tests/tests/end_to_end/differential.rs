//! Both engines with the same models and the same requests: what they do not answer alike is in `docs/differences.md`.

use std::time::Duration;

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

/// In which the end of tritonserver must have become the end of the process.
const NOTICED: Duration = Duration::from_secs(1);

const DIFFERENCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/differences.md");

#[test]
fn both_engines_answer_alike() -> Result<()> {
    let python = python()?;
    let embedded = serve(Engine::Embedded, &[])?;
    let tritonserver = serve(Engine::Tritonserver, &[])?;
    let (ours, theirs) = (embedded.banner(), tritonserver.banner());
    let addresses = [&ours.http, &ours.grpc, &theirs.http, &theirs.grpc];
    let arguments = addresses.map(String::as_str);
    python.run(
        "differential.py",
        arguments.into_iter().chain([DIFFERENCES]),
    )
}

/// The requests of `killers.py` that end a tritonserver 2.51.
const KILLERS: [&str; 4] = ["dimension", "product", "nesting", "classification"];

#[test]
fn the_embedded_engine_refuses_what_ends_tritonserver() -> Result<()> {
    let python = python()?;
    let server = serve(Engine::Embedded, &[])?;
    let http = server.banner().http.as_str();
    KILLERS
        .iter()
        .try_for_each(|killer| python.run("killers.py", ["refused", killer, http]))
}

#[test]
fn what_ends_tritonserver_ends_the_process_with_its_reason() -> Result<()> {
    let python = python()?;
    for killer in KILLERS {
        let server = serve(Engine::Tritonserver, &[])?;
        let http = server.banner().http.clone();
        python.run("killers.py", ["ended", killer, &http])?;
        let (status, log) = server.wait(NOTICED)?;
        assert_eq!(status.code(), Some(1), "{killer}: {log}");
        assert!(
            log.contains("error: tritonserver was killed by signal"),
            "{killer}: {log}"
        );
    }
    Ok(())
}
