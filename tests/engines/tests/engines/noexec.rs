//! Directories that are mounted `noexec`.

use std::path::Path;
use std::process::Command;

use crate::install;
use crate::server::{FREE_PORTS, serves_as};

const SERVER: &str = concat!(
    env!("CARGO_TARGET_TMPDIR"),
    "/cache/pytriton/tritonserver/2.51.0"
);

/// Returns a command that mounts a directory `noexec` and then executes the binary, or `None` if
/// mounting is not permitted.
fn program(name: &str, variables: &str, arguments: &[&str]) -> Option<Command> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let script = "mount -t tmpfs -o noexec,mode=700 none \"$0\"";
    let wrapped = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(&folder);
        command
    };
    if !wrapped(script)
        .output()
        .is_ok_and(|output| output.status.success())
    {
        eprintln!("nobody may mount here");
        return None;
    }
    let script = format!("{script} && export {variables} && exec \"$@\"");
    let mut command = wrapped(&script);
    command.arg(env!("CARGO_BIN_EXE_engines")).args(arguments);
    Some(command)
}

#[test]
fn library_is_unpacked_to_an_executable_file_system() {
    install();
    let arguments = [&["--tritonserver", SERVER][..], &FREE_PORTS].concat();
    let variables = "XDG_CACHE_HOME=\"$0\"";
    if let Some(command) = program("noexec_cache", variables, &arguments) {
        serves_as(command, "noexec", "tritonserver");
    }
}

#[test]
fn a_missing_directory_is_reported() {
    install();
    let arguments = [&["--tritonserver", SERVER][..], &FREE_PORTS].concat();
    let variables = "XDG_CACHE_HOME=\"$0\" TMPDIR=\"$0\"";
    let Some(mut command) = program("noexec_both", variables, &arguments) else {
        return;
    };
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "it is mounted noexec, so tritonserver cannot load libraries from it: set XDG_CACHE_HOME or TMPDIR to \
                    another folder\n";
    assert!(
        !output.status.success() && stderr.ends_with(expected),
        "{stderr}"
    );
}

#[test]
fn noexec_server_and_broken_server_have_different_errors() {
    install();
    let variables = format!(
        "PYTRITON_TRITONSERVER=\"$0\"/server && cp '{SERVER}/bin/tritonserver' \"$0\"/server"
    );
    let Some(mut command) = program("noexec_server", &variables, &["check"]) else {
        return;
    };
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let expected = "/server cannot be run: it is on a file system that is mounted noexec\n";
    assert!(
        !output.status.success() && stderr.ends_with(expected),
        "{stderr}"
    );
}
