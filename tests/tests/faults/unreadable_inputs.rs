//! An input in memory that a function cannot read makes only its own request fail, not others in
//! the batch.

use pytriton_tests::{Result, Server};

use crate::engine::command;
use crate::http;
use crate::ledger::{Clients, Habit, MODELS};
use crate::preload::preload;
use crate::random::Random;

const HABITS: [Habit; 6] = [
    Habit::All,
    Habit::Unreadable,
    Habit::Some,
    Habit::Unreadable,
    Habit::All,
    Habit::All,
];

#[test]
fn unreadable_inputs_fail_only_their_request() -> Result<()> {
    let home = tempfile::tempdir()?;
    let library = preload(home.path(), "unreadable_inputs")?;
    let server = Server::spawn(command(home.path(), &[])?.env("LD_PRELOAD", &library))?;
    let mut random = Random::new();
    for model in MODELS {
        let address = &server.banner().http;
        let clients = Clients::start(address, &[model], &HABITS, Some(100), &mut random)?;
        clients.join().check_all();
        let metrics = &server.banner().metrics;
        let right = http::metric(metrics, "nv_inference_request_success", model.name)?;
        assert_eq!(right, 400.0, "{}", model.name);
    }
    Ok(())
}
