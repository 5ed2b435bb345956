//! Both engines under the same arrivals, for each configuration of a batcher.
//!
//! `SCENARIO_SEEDS` is the number of random arrivals of each, and `SCENARIO_FIRST_SEED` the first.
//! With the defaults, the test takes about 15 s. It compares response times, so it must not run
//! concurrently with other tests.

use pytriton_tests::{Engine, Result, Server};

use crate::{folder, python};

/// A model for each configuration.
const SCENARIOS: &str = env!("CARGO_BIN_EXE_test_scenarios");

#[test]
#[ignore = "compares times: a command of its own, which `.ci/run` has"]
fn engines_form_equal_batches() -> Result<()> {
    let python = python()?;
    let embedded = Server::start_with(Engine::Embedded, folder(), SCENARIOS, &[])?;
    let tritonserver = Server::start_with(Engine::Tritonserver, folder(), SCENARIOS, &[])?;
    let addresses = [&embedded.banner().http, &tritonserver.banner().http];
    python.run("scenarios.py", addresses.map(String::as_str))
}

#[test]
fn sequences_share_a_stream_on_both_engines() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = Server::start_with(engine, folder(), SCENARIOS, &[])?;
        python()?.test("test_shared_stream.py", &server)?;
    }
    Ok(())
}
