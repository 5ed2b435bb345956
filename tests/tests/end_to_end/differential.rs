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
    // A restart in the middle of the corpus would be seen in its statistics, which come before the streams that cause one.
    let tritonserver = serve(Engine::Tritonserver, &["--restart"])?;
    let (ours, theirs) = (embedded.banner(), tritonserver.banner());
    let addresses = [&ours.http, &ours.grpc, &theirs.http, &theirs.grpc];
    let arguments = addresses.map(String::as_str);
    let arguments = arguments.into_iter().chain([DIFFERENCES]);
    if let Err(error) = python.run("differential.py", arguments) {
        panic!(
            "{error}\nembedded: {}\ntritonserver: {}",
            end_of(&embedded.log()?),
            end_of(&tritonserver.log()?)
        );
    }
    Ok(())
}

/// The last lines of a log.
fn end_of(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// What ends a tritonserver 2.51, as `killers.py` calls it, and what becomes of it with the embedded engine.
const KILLERS: [(&str, &str); 6] = [
    ("dimension", "refused"),
    ("product", "refused"),
    ("nesting", "refused"),
    ("classification", "refused"),
    ("chunks", "answered"),
    ("deadlines", "answered"),
];

#[test]
fn the_embedded_engine_outlives_what_ends_tritonserver() -> Result<()> {
    let python = python()?;
    let server = serve(Engine::Embedded, &[])?;
    let banner = server.banner();
    KILLERS.into_iter().try_for_each(|(killer, expected)| {
        python.run("killers.py", [expected, killer, &banner.http, &banner.grpc])
    })
}

#[test]
fn what_ends_tritonserver_ends_the_process_with_its_reason() -> Result<()> {
    let python = python()?;
    // That of `deadlines` is a race, which may be lost.
    for (killer, _) in KILLERS
        .into_iter()
        .filter(|(killer, _)| *killer != "deadlines")
    {
        let server = serve(Engine::Tritonserver, &[])?;
        let banner = server.banner().clone();
        python.run("killers.py", ["ended", killer, &banner.http, &banner.grpc])?;
        let (status, log) = server.wait(NOTICED)?;
        assert_eq!(status.code(), Some(1), "{killer}: {log}");
        assert!(
            log.contains("error: tritonserver was killed by signal"),
            "{killer}: {log}"
        );
    }
    Ok(())
}

#[test]
fn what_ends_tritonserver_is_over_soon_with_restart() -> Result<()> {
    let python = python()?;
    let server = serve(Engine::Tritonserver, &["--restart"])?;
    let banner = server.banner();
    for killer in ["dimension", "deadlines"] {
        let arguments = ["restarted", killer, &banner.http, &banner.grpc];
        if let Err(error) = python.run("killers.py", arguments) {
            panic!("{killer}: {error}\n{}", server.log()?);
        }
    }
    let log = server.log()?;
    let ready = log.matches("tritonserver is ready again").count();
    assert!((1..=2).contains(&ready), "{log}");
    Ok(())
}
