//! What a small request in JSON costs the embedded engine, as it is released, stays below a limit.
//!
//! A binary of its own: it builds a server first, and counts what other tests would be a load for.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cost::Cost;
use pytriton_tests::{Result, finish};

/// A little above what `benches/run` finds, and lowered with it.
const INSTRUCTIONS: f64 = 53_000.0;
const ALLOCATIONS: f64 = 54.0;

/// How often it is counted.
const TIMES: u32 = 3;

/// A build from nothing takes some three minutes on two cores, later ones less than one.
const BUILD: Duration = Duration::from_secs(900);

/// The package with the example `identity`, built with the one engine.
const PACKAGE: &str = "pytriton-test-engines";
const BINARY: &str = "embedded_identity";

#[test]
fn a_request_costs_no_more_than_before() -> Result<()> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("");
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--release", "--package", PACKAGE, "--bin", BINARY])
        .args(["--no-default-features", "--features", "embedded"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // Where the server is found below.
        .env_remove("CARGO_BUILD_TARGET");
    finish(&mut build, BUILD)?.success("cargo build")?;
    let server = target.join("release").join(BINARY).display().to_string();
    let free_ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
    let command = [&[server.as_str()], free_ports.as_slice()].concat();
    let cost = Cost::least_of(TIMES, &command).unwrap_or_else(|error| panic!("{error}"));
    let within = cost.instructions <= INSTRUCTIONS && cost.allocations <= ALLOCATIONS;
    assert!(
        within,
        "{cost:?}, more than {INSTRUCTIONS} and {ALLOCATIONS}"
    );
    Ok(())
}
