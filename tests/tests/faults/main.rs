//! What happens to a running server: processes die, memory and disks are full, ports are taken, servers are broken.
//!
//! A binary of its own: its deadlines are short, and the other tests would be a load on the machine.

mod away;
mod broken;
mod calls;
mod chaos;
mod clients;
mod connection;
mod draining;
mod dumped;
mod engine;
mod failing;
mod filling;
mod forgetful;
mod full;
mod http;
mod idle;
mod installing;
mod killed;
mod ledger;
mod limit;
mod load;
mod outputs;
mod preload;
mod process;
mod proxy;
mod random;
mod region;
mod resident;
mod severed;
mod shell;
mod side_by_side;
mod sockets;
mod stopping;
mod streams;
mod texts;
mod unreadable;

use std::path::Path;
use std::time::Duration;

/// The binary with all test models.
const MODELS: &str = env!("CARGO_BIN_EXE_test_models");

/// In which one process must have noticed that another is gone.
const NOTICED: Duration = Duration::from_secs(1);

/// What an orderly end may take on a busy machine.
const EXIT: Duration = Duration::from_secs(10);

/// Python with NVIDIA's client, made by the first test that asks for it.
fn python() -> pytriton_tests::Result<pytriton_tests::Python> {
    pytriton_tests::Python::prepare(Path::new(env!("CARGO_TARGET_TMPDIR")))
}
