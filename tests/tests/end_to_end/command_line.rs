//! The command line and its output.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Finished, HarnessError, Result, Server, finish};

use crate::MODELS;

pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
pub(crate) const FREE_PORTS: [&str; 6] = [
    "--http-port",
    "0",
    "--grpc-port",
    "0",
    "--metrics-port",
    "0",
];
const DUPLICATES: &str = env!("CARGO_BIN_EXE_duplicate_models");
const UNLOADABLE: &str = env!("CARGO_BIN_EXE_unloadable_model");

/// `check` with free ports, independent of other processes.
pub(crate) fn check() -> Vec<&'static str> {
    [&["check"], &FREE_PORTS[..]].concat()
}

pub(crate) fn run(binary: &str, arguments: &[&str]) -> Result<Finished> {
    finish(Command::new(binary).args(arguments), DEADLINE)
}

#[test]
fn list_shows_every_model_with_its_tensors() -> Result<()> {
    let table = run(MODELS, &["list"])?.success("list")?;
    let line = |name: &str| {
        let mut lines = table.lines();
        lines
            .find(|line| line.split_whitespace().any(|word| word == name))
            .unwrap_or_else(|| panic!("{name} is not in\n{table}"))
    };
    for part in [
        "a FP32 [-1,-1]",
        "b FP32 [-1,-1]",
        "add FP32 [-1,-1]",
        "sub FP32 [-1,-1]",
    ] {
        assert!(
            line("AddSub").contains(part),
            "{part} is not in {}",
            line("AddSub")
        );
    }
    assert!(line("I_BF16").contains("BF16"));
    assert!(line("NoBatch").contains("INPUT_1 FP32 [-1]"));
    let described = "\nPlaced 1\n  input milliseconds: How long the call takes.\n";
    assert!(table.contains(described), "{table}");
    Ok(())
}

#[test]
fn check_passes_or_reports_the_reason() -> Result<()> {
    assert!(run(MODELS, &check())?.status.success());
    let unloadable = run(UNLOADABLE, &check())?;
    assert!(!unloadable.status.success());
    let output = unloadable.stderr + &unloadable.stdout;
    for part in [
        "Unloadable",
        "the weights are missing",
        "unloadable_model.rs",
    ] {
        assert!(output.contains(part), "{part} is not in\n{output}");
    }
    Ok(())
}

#[test]
fn duplicate_models_are_reported_with_both_locations() -> Result<()> {
    for arguments in [check(), vec!["list"], FREE_PORTS.to_vec()] {
        let refused = run(DUPLICATES, &arguments)?;
        assert!(!refused.status.success(), "{arguments:?}");
        let output = refused.stderr + &refused.stdout;
        for part in [
            "Twice",
            "duplicate_models/first.rs:",
            "duplicate_models/second.rs:",
        ] {
            assert!(output.contains(part), "{part} is not in\n{output}");
        }
    }
    Ok(())
}

#[test]
fn a_model_that_cannot_be_loaded_is_not_served() -> Result<()> {
    let refused = run(UNLOADABLE, &FREE_PORTS)?;
    assert!(!refused.status.success());
    assert!(
        refused.stderr.contains("the weights are missing"),
        "{}",
        refused.stderr
    );
    Ok(())
}

#[test]
fn help_and_version() -> Result<()> {
    let help = run(MODELS, &["--help"])?.success("--help")?;
    for part in [
        "serve",
        "list",
        "check",
        "--http-port",
        "--grpc-port",
        "--metrics-port",
        "--log-format",
        "PYTRITON_TRITON_CONFIG_HTTP_PORT",
    ] {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    let version = run(MODELS, &["--version"])?.success("--version")?;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    Ok(())
}

#[test]
fn invalid_command_lines_are_refused() -> Result<()> {
    for (arguments, part) in [
        (&["--http-prot", "0"][..], "--http-port"),
        (&["--http-port", "many"], "many"),
        (&["--http-port", "65536"], "65536"),
        (&["sevre"], "sevre"),
        (&["--log-format", "xml"], "json"),
    ] {
        let refused = run(MODELS, arguments)?;
        assert_eq!(
            refused.status.code(),
            Some(2),
            "{arguments:?}\n{}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains(part),
            "{part} is not in\n{}",
            refused.stderr
        );
    }
    Ok(())
}

#[test]
fn disabled_ports_are_not_opened() {
    for (option, endpoint) in [
        ("--allow-http", "http"),
        ("--allow-grpc", "grpc"),
        ("--allow-metrics", "metrics"),
    ] {
        match Server::start(MODELS, &[option, "false"]) {
            Err(HarnessError::Banner { label, .. }) => assert_eq!(label, endpoint),
            other => panic!("{option}: {other:?}"),
        }
    }
}

#[test]
fn port_in_use_is_reported() -> Result<()> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    for option in ["--http-port", "--grpc-port", "--metrics-port"] {
        let mut arguments = vec![option, &port];
        for other in ["--http-port", "--grpc-port", "--metrics-port"] {
            if other != option {
                arguments.extend([other, "0"]);
            }
        }
        let refused = run(MODELS, &arguments)?;
        assert!(!refused.status.success(), "{option}");
        assert!(
            refused.stderr.contains(&port),
            "{option}: {}",
            refused.stderr
        );
        assert!(!refused.stdout.contains("ready"), "{}", refused.stdout);
    }
    Ok(())
}

#[test]
fn every_option_is_an_environment_variable() -> Result<()> {
    let mut command = Command::new(MODELS);
    let server = Server::spawn(
        command
            .env("PYTRITON_TRITON_CONFIG_HTTP_PORT", "0")
            .env("PYTRITON_TRITON_CONFIG_GRPC_PORT", "0")
            .env("PYTRITON_TRITON_CONFIG_METRICS_PORT", "0")
            .env("PYTRITON_TRITON_CONFIG_HTTP_ADDRESS", "127.0.0.1")
            .env("PYTRITON_TRITON_CONFIG_LOG_FORMAT", "json")
            .env("PYTRITON_TRITON_CONFIG_LOG_VERBOSE", "1"),
    )?;
    assert!(server.banner().http.starts_with("127.0.0.1:"));
    let url = format!("http://{}/v2/models/Fail/infer", server.banner().http);
    let body = r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[-1]}]}"#;
    let mut curl = Command::new("curl");
    finish(curl.args(["--silent", "-d", body, &url]), DEADLINE)?.success("curl")?;
    server.signal("TERM")?;
    let (_, log) = server.wait(DEADLINE)?;
    assert!(log.contains("stopping"), "{log}");
    for line in log.lines() {
        assert!(
            line.starts_with('{') && line.ends_with('}'),
            "no JSON: {line}"
        );
    }
    let mut spans = log.lines().filter_map(|line| {
        let (_, span) = line.split_once(r#""span":{"#)?;
        Some(span.split('}').next().unwrap_or_default())
    });
    // A key is not repeated.
    let instance = spans.find(|span| span.contains(r#""name":"instance""#));
    let names = instance.map(|span| span.matches(r#""name":"#).count());
    assert_eq!(names, Some(1), "{log}");
    let mut command = Command::new(MODELS);
    command
        .args(check())
        .env("PYTRITON_TRITON_CONFIG_LOG_VERBOSE", "1");
    assert!(finish(&mut command, DEADLINE)?.status.success());
    let mut command = Command::new(MODELS);
    command.env("PYTRITON_TRITON_CONFIG_HTTP_PORT", "many");
    assert!(!finish(&mut command, DEADLINE)?.status.success());
    Ok(())
}

#[test]
fn the_banner_names_engine_and_models() -> Result<()> {
    let server = Server::start(MODELS, &[])?;
    let banner = &server.banner().text;
    let first = banner.lines().next().unwrap_or_default();
    assert!(
        first.contains(env!("CARGO_PKG_VERSION")) && first.contains("embedded"),
        "{first}"
    );
    assert!(banner.contains("AddSub 1: a FP32 [-1,-1], b FP32 [-1,-1] -> add FP32 [-1,-1], sub FP32 [-1,-1]; max batch 128, 1 instance"), "{banner}");
    Ok(())
}

/// Returns the completions that a shell offers for a word after sourcing the output of the binary.
fn offered(shell: &str, script: &str) -> Result<String> {
    finish(
        Command::new(shell).args(["-c", script]).arg(MODELS),
        DEADLINE,
    )?
    .success(shell)
}

#[test]
fn bash_completes_commands_and_options() -> Result<()> {
    let complete = |word: &str| {
        let script = format!(
            r#"source <("$0" completions bash) && COMP_WORDS=(server {word}) COMP_CWORD=1 && complete -p \
            | sed -n 's/.*-F \([^ ]*\) .*/\1/p' | (read -r name && "$name" server {word} server && echo "${{COMPREPLY[@]}}")"#
        );
        offered("bash", &script)
    };
    let options = complete("--http-p")?;
    assert!(
        options.split_whitespace().any(|word| word == "--http-port"),
        "{options}"
    );
    let commands = complete("rep")?;
    assert_eq!(commands.trim(), "repository");
    Ok(())
}

#[test]
fn installed_files_have_the_name_of_the_binary() -> Result<()> {
    let name = Path::new(MODELS).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    assert_ne!(name, env!("CARGO_PKG_NAME"));
    let script = run(MODELS, &["completions", "bash"])?.success("bash")?;
    let mut completed = script.lines().filter(|line| line.contains("complete -F "));
    let line = completed.next().unwrap_or_default();
    assert!(line.ends_with(&format!(" {name}")), "{line}");
    let page = run(MODELS, &["man"])?.success("man")?;
    assert!(page.contains(&format!(".TH {name} ")), "{page}");
    Ok(())
}

#[test]
fn the_manual_page_has_every_option() -> Result<()> {
    let page = run(MODELS, &["man"])?.success("man")?;
    assert!(page.contains(".TH "), "{page}");
    let help = run(MODELS, &["--help"])?.success("--help")?;
    let options: Vec<&str> = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .collect();
    assert!(options.len() > 50);
    let page = page.replace('\\', "");
    for option in options {
        let name = option.trim_matches(|one: char| !one.is_ascii_alphanumeric());
        assert!(page.contains(name), "{option}");
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = run(MODELS, &["completions", shell])?.success(shell)?;
        assert!(script.contains("http-port"), "{shell}");
    }
    Ok(())
}
