//! Faults of a running server: processes die, memory and disks are full, ports are in use, servers
//! are broken.
//!
//! This is a separate binary, because its time limits are short and other tests would load the
//! machine.

mod blocked_output;
mod calls;
mod chaos;
mod clients;
mod closed_channel;
mod connection;
mod core_dumps;
mod draining;
mod engine;
mod error_messages;
mod exit_timeout;
mod failed_start;
mod failing;
mod http;
mod idle_wakeups;
mod installing;
mod killed;
mod ledger;
mod limit;
mod load;
mod lost_calls;
mod memory_release;
mod preload;
mod process;
mod proxy;
mod random;
mod region;
mod rejected_outputs;
mod resource_exhaustion;
mod restarting;
mod shell;
mod sockets;
mod stopped_start;
mod stopping;
mod streams;
mod two_servers;
mod unreadable_inputs;

use std::path::Path;
use std::time::Duration;

/// The binary with all test models.
const MODELS: &str = env!("CARGO_BIN_EXE_test_models");

/// The time limit for detecting the end of another process.
const NOTICED: Duration = Duration::from_secs(1);

/// The time limit for a graceful end on a busy machine.
const EXIT: Duration = Duration::from_secs(10);

/// Returns a Python with NVIDIA's client, which the first test installs.
fn python() -> pytriton_tests::Result<pytriton_tests::Python> {
    pytriton_tests::Python::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
