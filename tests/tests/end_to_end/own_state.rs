//! A program whose models share a state.

use std::process::Command;

use pytriton_tests::{Engine, Result, Server, finish};

use crate::command_line::{DEADLINE, FREE_PORTS, check, run};
use crate::folder;
use crate::own_program::respond;

const PROGRAM: &str = env!("CARGO_BIN_EXE_own_state");

/// Sends a row to a model, and returns the number that the model adds.
fn number(server: &Server, model: &str) -> Result<String> {
    let infer = r#"{"inputs":[{"name":"x","datatype":"UINT64","shape":[1,1],"data":[0]}]}"#;
    let response = respond(server, "POST", &format!("/v2/models/{model}/infer"), infer)?;
    let (_, data) = response.split_once(r#""data":["#).unwrap_or_default();
    Ok(data.split(']').next().unwrap_or_default().to_owned())
}

#[test]
fn models_and_instances_share_a_state_with_both_engines() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = Server::start_with(engine, folder(), PROGRAM, &["--first=7"])?;
        server.log_with(&["started at 7"])?;
        let models = ["Next", "Loaded", "Loaded", "Next", "Loaded"];
        let numbers = models.map(|model| number(&server, model));
        let numbers: Vec<String> = numbers.into_iter().collect::<Result<_>>()?;
        assert_eq!(numbers, ["8", "9", "10", "11", "12"], "{engine:?}");
        server.signal("TERM")?;
        let (status, log) = server.wait(DEADLINE)?;
        assert_eq!(status.code(), Some(0), "{log}");
        assert_eq!(log.matches("created").count(), 1, "{log}");
        assert_eq!(log.matches("loaded in b").count(), 2, "{log}");
        assert!(log.find("created") < log.find("loaded in b"), "{log}");
    }
    Ok(())
}

#[test]
fn only_commands_that_load_models_create_states() -> Result<()> {
    for (arguments, created) in [
        (&["list"][..], false),
        (&["--help"], false),
        (&check(), true),
    ] {
        let done = run(PROGRAM, arguments)?;
        assert!(done.status.success(), "{}", done.stderr);
        assert_eq!(done.stderr.contains("created"), created, "{arguments:?}");
    }
    Ok(())
}

#[test]
fn missing_duplicate_and_failed_states_are_errors_at_start() -> Result<()> {
    let missing = [
        "model 'Loaded' at tests/src/bin/own_state.rs:",
        "takes `Arc<own_state::Numbers>` in `#[load]`, but the program provides only `own_state::Name`",
        "takes `numbers: &Arc<own_state::Numbers>`, but the program provides only",
        "`state` of `pytriton::Cli`",
    ];
    let twice = ["the program provides two states of type `own_state::Name`: remove one"];
    let failed = ["cannot create the state of type `own_state::Numbers`: no numbers are left"];
    for (case, expected) in [
        ("missing", &missing[..]),
        ("twice", &twice),
        ("failed", &failed),
    ] {
        for arguments in [&check()[..], &FREE_PORTS] {
            let command = &mut Command::new(PROGRAM);
            let engine = "--engine=embedded";
            let command = command.args(arguments).arg(engine).env("OWN_STATE", case);
            let refused = finish(command, DEADLINE)?;
            assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
            for text in expected {
                assert!(refused.stderr.contains(text), "{text}: {}", refused.stderr);
            }
            // Mistakes are found before a state is created, which may take long.
            let created = case == "failed";
            assert_eq!(refused.stderr.contains("created"), created, "{case}");
        }
    }
    let command = &mut Command::new(PROGRAM);
    let command = command.args(FREE_PORTS).arg("--engine=tritonserver");
    let refused = finish(command.env("OWN_STATE", "missing"), DEADLINE)?;
    for text in missing {
        assert!(refused.stderr.contains(text), "{text}: {}", refused.stderr);
    }
    Ok(())
}

#[test]
fn a_native_backend_cannot_take_states() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("repository");
    let command = &mut Command::new(PROGRAM);
    let refused = finish(
        command.arg("repository").arg(&path).arg("--native"),
        DEADLINE,
    )?;
    let text = "which a native backend cannot provide: create it in `#[load]` or in a `static`";
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stderr.contains(text), "{}", refused.stderr);
    Ok(())
}
