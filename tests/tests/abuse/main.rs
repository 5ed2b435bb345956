//! Clients that mean no good, all kinds of them at once and at random, beside ordinary ones that must not notice.
//!
//! A binary of its own: the other tests would be a load on the machine, and it one on them.

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

// What the faults have too, which need more of it.
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

/// Longer than an ordinary answer takes.
const NOTICED: Duration = Duration::from_secs(1);

/// Python with NVIDIA's client.
fn python() -> pytriton_tests::Result<pytriton_tests::Python> {
    pytriton_tests::Python::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
