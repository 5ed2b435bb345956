//! Misbehaving clients of all kinds, selected at random, next to well-behaved ones that must not be
//! affected.
//!
//! This is a separate binary so that it and other tests do not disturb each other.

mod abuse;
mod abusers;
mod bodies;
mod clients;
mod frames;
mod grpc;
mod http1;
mod memory;
mod metrics;
mod probe;
mod readers;
mod run;
mod scene;

// Shared with the fault tests, which use more of it.
#[path = "../faults/connection.rs"]
mod connection;
#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../faults/http.rs"]
mod http;
#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../faults/ledger/mod.rs"]
mod ledger;
#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../faults/load.rs"]
mod load;
#[path = "../faults/random.rs"]
mod random;
#[path = "../faults/region.rs"]
mod region;

use std::path::Path;
use std::time::Duration;

/// Longer than a regular response takes.
const NOTICED: Duration = Duration::from_secs(1);

/// Returns a Python with NVIDIA's client.
fn python() -> pytriton_tests::Result<pytriton_tests::Python> {
    pytriton_tests::Python::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
