//! Outputs that tritonserver rejects make only their own request fail, not others in the batch.

use pytriton_tests::{Result, Server};

use crate::engine::start;
use crate::ledger::{Clients, Grpc, Habit, MODELS, Model};
use crate::random::Random;
use crate::region::Region;
use crate::{MODELS as BINARY, http};

/// The number of requests of each client.
const REQUESTS: usize = 120;

/// Two of ten have an output that does not fit its region.
const HABITS: [Habit; 10] = [
    Habit::All,
    Habit::Narrow,
    Habit::Some,
    Habit::All,
    Habit::Wide,
    Habit::Refused,
    Habit::Narrow,
    Habit::All,
    Habit::Some,
    Habit::All,
];

fn batches(server: &Server, model: Model) -> Result<(f64, f64)> {
    let metrics = &server.banner().metrics;
    let count = |family| http::metric(metrics, family, model.name);
    Ok((
        count("nv_inference_request_success")?,
        count("nv_inference_exec_count")?,
    ))
}

/// An output fails at every position, in batches with other requests.
fn each_has_its_own(server: &Server) -> Result<()> {
    let mut random = Random::new();
    for model in MODELS {
        let clients = Clients::start(
            &server.banner().http,
            &[model],
            &HABITS,
            Some(REQUESTS),
            &mut random,
        )?;
        clients.join().check_all();
        let (requests, executions) = batches(server, model)?;
        assert!(
            requests > 1.5 * executions,
            "{}: {requests} in {executions} batches",
            model.name
        );
    }
    // All positions at once.
    let habits = &HABITS[..6];
    let address = &server.banner().http;
    let clients = Clients::start(address, &MODELS, habits, Some(REQUESTS), &mut random)?;
    clients.join().check_all();
    let narrow = Region::register(address, 1)?;
    let mut grpc = Grpc::start(server, narrow.name(), "all some narrow", &mut random)?;
    let clients = Clients::start(address, &MODELS, habits, Some(REQUESTS), &mut random)?;
    clients.join().check_all();
    grpc.end()?.check_all();
    Ok(())
}

#[test]
fn rejected_output_of_a_worker_fails_only_its_request() -> Result<()> {
    let home = tempfile::tempdir()?;
    each_has_its_own(&start(home.path(), &[])?)
}

#[test]
fn rejected_output_of_a_native_model_fails_only_its_request() -> Result<()> {
    each_has_its_own(&Server::start_native(
        BINARY.as_ref(),
        env!("CARGO_TARGET_TMPDIR").as_ref(),
        &[],
    )?)
}
