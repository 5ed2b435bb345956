//! The example `sentiment`, which has every part that a program can add.

use std::fs;
use std::process::Command;

use pytriton_tests::{Result, Server};

use crate::command_line::{DEADLINE, FREE_PORTS, check, run};
use crate::own_program::{respond, respond_at};

const PROGRAM: &str = env!("CARGO_BIN_EXE_example_sentiment");

#[test]
fn every_part_is_served_next_to_the_model() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let lexicon = folder.path().join("lexicon");
    fs::write(&lexicon, "fine 3\nso -0.5\n")?;
    let command = &mut Command::new(PROGRAM);
    let command = command.args(FREE_PORTS).env("LEXICON", &lexicon);
    let server = Server::spawn(command)?;
    let started = format!("scores texts at http://{}/score/", server.banner().http);
    server.log_with(&[&started])?;
    let infer =
        r#"{"inputs":[{"name":"text","datatype":"BYTES","shape":[2,1],"data":["fine","so so"]}]}"#;
    for (method, path, body, expected) in [
        (
            "POST",
            "/v2/models/Score/infer",
            infer,
            r#""data":[3.0,-1.0]"#,
        ),
        ("GET", "/score/so%20fine", "", "\r\n\r\n2.5"),
        ("GET", "/v2/health/ready", "", "200 OK"),
        ("PUT", "/paused/true", "", "200 OK"),
        ("GET", "/v2/health/ready", "", "400 Bad Request"),
        ("GET", "/v2/health/live", "", "200 OK"),
        ("PUT", "/paused/false", "", "200 OK"),
        ("GET", "/v2/health/ready", "", "200 OK"),
    ] {
        let response = respond(&server, method, path, body)?;
        assert!(response.contains(expected), "{path}: {response}");
    }
    let metrics = respond_at(&server.banner().metrics, "GET", "/metrics", "")?;
    assert!(metrics.contains("\nscored_texts_total 3\n"), "{metrics}");
    server.signal("TERM")?;
    let (status, log) = server.wait(DEADLINE)?;
    assert_eq!(status.code(), Some(0), "{log}");
    assert!(log.contains("scored 3 texts"), "{log}");
    Ok(())
}

#[test]
fn commands_of_main_work() -> Result<()> {
    let list = run(PROGRAM, &["list"])?.success("list")?;
    assert!(list.contains("Score"), "{list}");
    let help = run(PROGRAM, &["--help"])?.success("--help")?;
    let (options, own) = help
        .split_once("Options of this program:")
        .unwrap_or_default();
    assert!(own.contains("--lexicon <FILE>"), "{help}");
    assert!(options.contains("--http-port"), "{help}");
    let checked = run(PROGRAM, &check())?.success("check")?;
    for part in ["--lexicon", "all checks passed"] {
        assert!(checked.contains(part), "{checked}");
    }
    for (argument, expected) in [
        ("--lexicon=/missing", "cannot read /missing"),
        ("--engine=tritonserver", "the program has a router"),
    ] {
        let refused = run(PROGRAM, &[&check()[..], &[argument]].concat())?;
        assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
    Ok(())
}
