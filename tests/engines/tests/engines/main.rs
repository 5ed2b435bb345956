//! Behaviour and messages of a binary with one engine or both. `.ci/run` also builds it with other
//! features and flags.

#[cfg(all(
    feature = "embedded",
    feature = "tritonserver",
    not(target_feature = "crt-static")
))]
mod core;
mod dependencies;
#[cfg(feature = "tritonserver")]
mod noexec;
mod packages;
#[cfg(not(all(feature = "embedded", feature = "tritonserver")))]
mod refusals;
mod server;

use std::process::{Command, Stdio};

use server::serves;

/// The binary with the engines.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_engines"));
    // The tests of all crates share one installation of tritonserver.
    command
        .env(
            "XDG_CACHE_HOME",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
        )
        .env("PATH", "/no/such/folder")
        .stdin(Stdio::null());
    command
}

#[cfg(feature = "embedded")]
#[test]
fn the_embedded_engine_serves() {
    serves("embedded", "embedded");
}

#[cfg(feature = "tritonserver")]
#[test]
fn the_tritonserver_engine_serves() {
    install();
    serves("tritonserver", "tritonserver");
    serves("auto", "tritonserver");
}

/// Installs tritonserver if no other test has done so.
#[cfg(feature = "tritonserver")]
fn install() {
    // `install` looks for its download tool in `PATH`.
    let mut install = program();
    install.env("PATH", std::env::var_os("PATH").unwrap());
    let installed = install.arg("install").output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
}

/// The binary has no program interpreter, which would load a C library.
#[cfg(target_feature = "crt-static")]
#[test]
fn the_binary_is_static() {
    const INTERPRETER: u32 = 3;
    let binary = std::fs::read(env!("CARGO_BIN_EXE_engines")).unwrap();
    let number = |at: usize, length: usize| {
        let bytes = binary[at..at + length].iter().rev();
        bytes.fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let (start, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let mut kinds = (0..count).map(|index| number(start + index * size, 4) as u32);
    assert!(!kinds.any(|kind| kind == INTERPRETER));
}
