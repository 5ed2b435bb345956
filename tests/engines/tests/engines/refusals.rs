use std::process::Output;

use crate::program;
#[cfg(not(feature = "tritonserver"))]
use crate::server::{FREE_PORTS, serves};

/// The error for the engine that is not compiled in.
#[cfg(not(feature = "tritonserver"))]
const NO_TRITONSERVER: &str = "this binary has no tritonserver engine: it is built without the feature `tritonserver` of pytriton";
#[cfg(not(feature = "embedded"))]
const NO_EMBEDDED: &str =
    "this binary has no embedded engine: it is built without the feature `embedded` of pytriton";

#[cfg(not(feature = "tritonserver"))]
#[test]
fn requesting_tritonserver_without_the_feature_is_an_error() {
    for arguments in [
        &["--engine=tritonserver"][..],
        &["--tritonserver=/opt/tritonserver"],
        &["check", "--engine=tritonserver"],
        &["install"],
        &["repository", "/no/such/folder"],
        &["repository", "--native", "/no/such/folder"],
    ] {
        assert_eq!(
            refusal(arguments),
            format!("error: {NO_TRITONSERVER}\n"),
            "{arguments:?}"
        );
    }
    serves("auto", "embedded");
    let checked = output(&[&["check"], &FREE_PORTS[..]].concat());
    let expected = format!("engine embedded: {NO_TRITONSERVER}\n");
    for stderr in [checked.stdout, checked.stderr] {
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(stderr.contains(&expected), "{stderr}");
    }
}

/// No feature of this package enables span export.
#[cfg(not(feature = "tritonserver"))]
#[test]
fn requesting_spans_without_the_feature_is_an_error() {
    let stderr = refusal(&[&FREE_PORTS[..], &["--trace-config=mode=opentelemetry"]].concat());
    assert!(
        stderr.contains("--trace-config mode=opentelemetry: "),
        "{stderr}"
    );
    assert!(stderr.contains("the feature `otel`"), "{stderr}");
}

#[cfg(not(feature = "embedded"))]
#[test]
fn requesting_the_embedded_engine_without_the_feature_is_an_error() {
    for arguments in [&["--engine=embedded"][..], &["check", "--engine=embedded"]] {
        assert_eq!(
            refusal(arguments),
            format!("error: {NO_EMBEDDED}\n"),
            "{arguments:?}"
        );
    }
    // If tritonserver is also missing, the error names what the user can fix.
    let stderr = refusal(&["--engine=auto", "--tritonserver=/no/such/file"]);
    assert!(
        stderr.contains("no tritonserver found at /no/such/file"),
        "{stderr}"
    );
}

fn output(arguments: &[&str]) -> Output {
    program().args(arguments).output().unwrap()
}

/// Returns the message of a command that must fail.
fn refusal(arguments: &[&str]) -> String {
    let output = output(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}
