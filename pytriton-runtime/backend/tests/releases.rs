//! Tests of the library in other server releases than the installed one. A program that provides
//! the functions of such a server loads the library like tritonserver does.

#![cfg(not(loom))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions of the oldest supported API, in addition to those that `server.c` defines itself.
const FIRST: &[&str] = &[
    "TRITONBACKEND_InputBuffer",
    "TRITONBACKEND_InputProperties",
    "TRITONBACKEND_ModelInstanceDeviceId",
    "TRITONBACKEND_ModelInstanceKind",
    "TRITONBACKEND_ModelInstanceModel",
    "TRITONBACKEND_ModelInstanceName",
    "TRITONBACKEND_ModelInstanceReportBatchStatistics",
    "TRITONBACKEND_ModelInstanceReportStatistics",
    "TRITONBACKEND_ModelInstanceSetState",
    "TRITONBACKEND_ModelInstanceState",
    "TRITONBACKEND_ModelName",
    "TRITONBACKEND_ModelVersion",
    "TRITONBACKEND_OutputBuffer",
    "TRITONBACKEND_RequestCorrelationId",
    "TRITONBACKEND_RequestCorrelationIdString",
    "TRITONBACKEND_RequestFlags",
    "TRITONBACKEND_RequestId",
    "TRITONBACKEND_RequestInputByIndex",
    "TRITONBACKEND_RequestInputCount",
    "TRITONBACKEND_RequestOutputCount",
    "TRITONBACKEND_RequestOutputName",
    "TRITONBACKEND_RequestRelease",
    "TRITONBACKEND_ResponseDelete",
    "TRITONBACKEND_ResponseFactoryDelete",
    "TRITONBACKEND_ResponseFactoryNew",
    "TRITONBACKEND_ResponseFactorySendFlags",
    "TRITONBACKEND_ResponseNew",
    "TRITONBACKEND_ResponseNewFromFactory",
    "TRITONBACKEND_ResponseOutput",
    "TRITONBACKEND_ResponseSend",
    "TRITONBACKEND_ResponseSetBoolParameter",
    "TRITONBACKEND_ResponseSetIntParameter",
    "TRITONBACKEND_ResponseSetStringParameter",
];

/// The functions that later API versions added.
const LATER: &[(u32, &str)] = &[
    (12, "TRITONBACKEND_RequestParameter"),
    (12, "TRITONBACKEND_RequestParameterCount"),
    (
        14,
        "TRITONBACKEND_BackendAttributeSetParallelModelInstanceLoading",
    ),
    (16, "TRITONBACKEND_RequestIsCancelled"),
    (17, "TRITONBACKEND_InferenceRequestTimeoutMicroseconds"),
];

/// Returns the output of a server that loads the library: the results of its entry points.
fn server(major: u32, minor: u32, without: &str) -> String {
    let later = LATER.iter().filter(|(since, _)| *since <= minor);
    let functions = FIRST.iter().chain(later.map(|(_, name)| name));
    let stubs: String = functions
        .filter(|name| **name != without)
        .map(|name| format!("void *{name}(void) {{ return 0; }}\n"))
        .collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("server_{major}_{minor}_{without}");
    let (stubs_file, program) = (folder.join(format!("{name}.c")), folder.join(&name));
    fs::write(&stubs_file, stubs).unwrap();
    let compiled = Command::new("cc")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server.c"))
        .arg(&stubs_file)
        .args(["-Wall", "-Werror", "-rdynamic", "-ldl", "-o"])
        .arg(&program)
        .status();
    assert!(compiled.unwrap().success());
    let output = Command::new(&program)
        .arg(library())
        .args([major, minor].map(|number| number.to_string()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn library() -> PathBuf {
    static WRITTEN: std::sync::Once = std::sync::Once::new();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libtriton_pytriton.so");
    WRITTEN.call_once(|| fs::write(&path, pytriton_backend::LIBRARY.unwrap()).unwrap());
    path
}

#[test]
fn missing_function_is_reported_without_a_crash() {
    for (major, minor) in [(1, 0), (1, 11), (2, 0), (2, 19), (0, 19)] {
        let expected = format!(
            "initialize: 5: tritonserver has version {major}.{minor} of the backend API, but 1.12 or a later 1.x is required\n"
        );
        assert_eq!(server(major, minor, ""), expected);
    }
}

#[test]
fn server_without_newer_functions_is_supported() {
    for minor in [12, 14, 15, 16, 17, 19, 20] {
        let expected = "initialize: fine\nattributes: fine\n\
                        ready: 1: the instance was not initialized\n";
        assert_eq!(server(1, minor, ""), expected, "1.{minor}");
    }
    // API 1.16 of September 2023 had no cancellation yet; that of October had.
    assert!(server(1, 16, "TRITONBACKEND_RequestIsCancelled").starts_with("initialize: fine\n"));
}

#[test]
fn missing_function_of_a_release_is_named() {
    for name in [
        "TRITONBACKEND_OutputBuffer",
        "TRITONBACKEND_RequestParameter",
    ] {
        let expected = format!("initialize: 5: this tritonserver has no function {name}\n");
        assert_eq!(server(1, 19, name), expected);
    }
}
