//! Both engines under the same arrivals, for each configuration of a batcher.
//!
//! `SCENARIO_SEEDS` says how many random arrivals of each there are; the default keeps the test below 40 s.

use pytriton_tests::{Engine, Result, Server};

use crate::{folder, python};

/// A model for each configuration.
const SCENARIOS: &str = env!("CARGO_BIN_EXE_test_scenarios");

#[test]
fn both_engines_form_the_same_batches() -> Result<()> {
    let python = python()?;
    let embedded = Server::start_with(Engine::Embedded, folder(), SCENARIOS, &[])?;
    let tritonserver = Server::start_with(Engine::Tritonserver, folder(), SCENARIOS, &[])?;
    let addresses = [&embedded.banner().http, &tritonserver.banner().http];
    python.run("scenarios.py", addresses.map(String::as_str))
}
