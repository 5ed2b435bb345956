//! The cost of a small JSON request in a release build of the embedded engine, and of a binary
//! request in the clients, must stay below a limit.
//!
//! This is a separate binary, because it first builds a server and a client, and other tests would
//! load the machine.

use std::path::Path;

use cost::Cost;
use pytriton_tests::{Result, Server, released};

/// A little above what `benches/run` finds. Where the allocator places hyper's read buffer changes
/// the count by up to 200 from build to build.
const INSTRUCTIONS: f64 = 34_200.0;
const ALLOCATIONS: f64 = 14.0;

/// Options that may cost at most a twentieth more.
const CHEAP: [&str; 2] = [
    "--log-format=json",
    "--metrics-config=histogram_latencies=true",
];

/// The limits for the async client, with 16 bytes each way.
const CLIENT: [(&str, f64, f64); 2] = [("http", 50_000.0, 37.0), ("grpc", 80_000.0, 52.0)];

/// The most measurements of each cost. The lowest counts, so those after one within the limit would
/// change nothing.
const TIMES: u32 = 5;

/// The measurements to which those with an option are compared.
const COMPARED: u32 = 2;

#[test]
fn a_request_costs_no_more_than_before() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = released("embedded_identity", folder)?.display().to_string();
    let free_ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
    let command = [&[server.as_str()], free_ports.as_slice()].concat();
    let is_within =
        |cost: Cost| cost.instructions <= INSTRUCTIONS && cost.allocations <= ALLOCATIONS;
    let cost = Cost::of_server(TIMES, is_within, &command);
    let cost = cost.unwrap_or_else(|error| panic!("{error}"));
    assert!(
        is_within(cost),
        "{cost:?}, more than {INSTRUCTIONS} and {ALLOCATIONS}"
    );
    let compared = Cost::least_of(COMPARED, &[], &command);
    let compared = compared.unwrap_or_else(|error| panic!("{error}"));
    let most = 1.05 * compared.instructions.min(cost.instructions);
    for option in CHEAP {
        let command = [&command[..], &[option]].concat();
        let with = Cost::of_server(TIMES, |with| with.instructions <= most, &command);
        let with = with.unwrap_or_else(|error| panic!("{error}"));
        assert!(
            with.instructions <= most,
            "{option}: {with:?}, more than {most} instructions"
        );
    }
    Ok(())
}

#[test]
fn a_request_costs_a_client_no_more_than_before() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = Server::start(released("embedded_identity", folder)?, &[])?;
    let client = released("asking", folder)?.display().to_string();
    let banner = server.banner();
    let addresses = [&banner.http, &banner.grpc];
    for ((scheme, instructions, allocations), address) in CLIENT.into_iter().zip(addresses) {
        let url = format!("{scheme}://{address}");
        let is_within =
            |cost: Cost| cost.instructions <= instructions && cost.allocations <= allocations;
        let cost = Cost::of_client(TIMES, is_within, &[client.as_str(), "async", &url]);
        let cost = cost.unwrap_or_else(|error| panic!("{error}"));
        assert!(
            is_within(cost),
            "{scheme}: {cost:?}, more than {instructions} and {allocations}"
        );
    }
    Ok(())
}
