//! Files that are not Triton's library. A separate binary, because a process that has opened the
//! library refuses others for that reason.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::fs;
use std::path::Path;
use std::process::Command;

use pytriton_triton_core::{Library, LibraryError};

fn compile(path: &Path, text: &str) {
    let source = path.with_extension("c");
    fs::write(&source, text).unwrap();
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(path)
        .arg(source);
    assert!(compiler.status().unwrap().success());
}

#[test]
fn other_libraries_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    let open = |name| Library::open(&path(name)).unwrap_err();
    fs::write(path("text.so"), "no library").unwrap();
    let error = open("text.so");
    assert!(matches!(error, LibraryError::Open { .. }), "{error}");
    assert!(error.to_string().contains("text.so"), "{error}");

    compile(&path("other.so"), "int other(void) { return 0; }");
    let error = open("other.so").to_string();
    assert!(
        error.contains("has no function TRITONSERVER_ApiVersion"),
        "{error}"
    );

    // A refused library is not in the global scope, in which others find its functions.
    compile(
        &path("user.so"),
        "int other(void); int user(void) { return other(); }",
    );
    let error = open("user.so").to_string();
    assert!(error.contains("undefined symbol: other"), "{error}");

    let basics = "void *TRITONSERVER_ErrorNew(void) { return 0; }
        void TRITONSERVER_ErrorDelete(void) {}
        int TRITONSERVER_ErrorCode(void) { return 0; }
        void *TRITONSERVER_ErrorMessage(void) { return 0; }
        void *TRITONSERVER_ApiVersion(unsigned *major, unsigned *minor)";
    compile(
        &path("old.so"),
        &format!("{basics} {{ *major = 1; *minor = 22; return 0; }}"),
    );
    let error = open("old.so");
    let expected = LibraryError::Version {
        path: path("old.so").canonicalize().unwrap(),
        major: 1,
        minor: 22,
    };
    assert_eq!(error, expected);

    compile(
        &path("part.so"),
        &format!("{basics} {{ *major = 1; *minor = 34; return 0; }}"),
    );
    let error = open("part.so").to_string();
    assert!(
        error.contains("has no function TRITONSERVER_ServerOptionsNew"),
        "{error}"
    );
}
