//! The core of an installed Triton, which `check` opens in a child process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::program;
use crate::server::FREE_PORTS;

/// Returns the report of `check` about a tritonserver.
fn check(tritonserver: &Path) -> String {
    let mut command = program();
    command.args(["check", "--engine=embedded", "--tritonserver"]);
    command.arg(tritonserver).args(FREE_PORTS);
    let output = command.output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{report}");
    report
}

#[test]
fn check_describes_the_core_of_an_installation() {
    crate::install();
    let report = check(Path::new(concat!(
        env!("CARGO_TARGET_TMPDIR"),
        "/cache/pytriton/tritonserver/2.51.0"
    )));
    for expected in [
        "Triton's core 2.51.0: ",
        ", API 1.34\n",
        "Triton's extensions: classification sequence model_repository",
        "Triton 2.51.0 has published vulnerabilities",
        "Triton's backends: only that of this program",
    ] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
}

#[test]
fn crash_of_the_core_does_not_end_the_check() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crashing_core");
    for name in ["bin", "lib", "backends/python"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let binary = folder.join("bin/tritonserver");
    fs::write(&binary, "#!/bin/sh\necho '  --model-repository'\n").unwrap();
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("backends/python/libtriton_python.so"), "").unwrap();
    let source = folder.join("crash.c");
    let text =
        "#include <stdlib.h>\n__attribute__((constructor)) static void crash(void) { abort(); }\n";
    fs::write(&source, text).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    compiler
        .arg(folder.join("lib/libtritonserver.so"))
        .arg(source);
    assert!(compiler.status().unwrap().success());
    let report = check(&folder);
    assert!(
        report.contains("Triton's core cannot be opened: it crashed\n"),
        "{report}"
    );
    assert!(report.contains("Triton's backends: python\n"), "{report}");
}
