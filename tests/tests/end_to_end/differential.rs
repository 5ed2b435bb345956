//! Both engines with the same models and requests. `docs/differences.md` lists the differences
//! between their responses.

use std::time::Duration;

use pytriton_tests::{Engine, Result};

use crate::{python, serve};

/// The time limit from the end of tritonserver to the end of the process.
const NOTICED: Duration = Duration::from_secs(1);

const DIFFERENCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/differences.md");

#[test]
fn engines_return_equal_responses() -> Result<()> {
    let python = python()?;
    let embedded = serve(Engine::Embedded, &[])?;
    // A restart would reset statistics. In the corpus, they are compared before the streams that
    // cause a restart.
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

/// Returns the last lines of a log.
fn end_of(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// The requests in `crashing_requests.py` that end a tritonserver 2.51, and the response of the embedded
/// engine.
const KILLERS: [(&str, &str); 6] = [
    ("dimension", "refused"),
    ("product", "refused"),
    ("nesting", "refused"),
    ("classification", "refused"),
    ("chunks", "answered"),
    ("deadlines", "answered"),
];

#[test]
fn requests_that_crash_tritonserver_do_not_crash_the_embedded_engine() -> Result<()> {
    let python = python()?;
    let server = serve(Engine::Embedded, &[])?;
    let banner = server.banner();
    KILLERS.into_iter().try_for_each(|(killer, expected)| {
        python.run(
            "crashing_requests.py",
            [expected, killer, &banner.http, &banner.grpc],
        )
    })
}

#[test]
fn crash_of_tritonserver_ends_the_process_with_its_reason() -> Result<()> {
    let python = python()?;
    // `deadlines` depends on a race, so it is excluded.
    for (killer, _) in KILLERS
        .into_iter()
        .filter(|(killer, _)| *killer != "deadlines")
    {
        let server = serve(Engine::Tritonserver, &[])?;
        let banner = server.banner().clone();
        python.run(
            "crashing_requests.py",
            ["ended", killer, &banner.http, &banner.grpc],
        )?;
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
fn tritonserver_is_restarted_after_a_crash() -> Result<()> {
    let python = python()?;
    let server = serve(Engine::Tritonserver, &["--restart"])?;
    let banner = server.banner();
    for killer in ["dimension", "deadlines"] {
        let arguments = ["restarted", killer, &banner.http, &banner.grpc];
        if let Err(error) = python.run("crashing_requests.py", arguments) {
            panic!("{killer}: {error}\n{}", server.log()?);
        }
    }
    let log = server.log_with(&["tritonserver is ready again"])?;
    let ready = log.matches("tritonserver is ready again").count();
    assert!((1..=2).contains(&ready), "{log}");
    Ok(())
}
