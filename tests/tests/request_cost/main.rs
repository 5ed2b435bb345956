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

/// The number of measurements.
const TIMES: u32 = 5;

#[test]
fn a_request_costs_no_more_than_before() -> Result<()> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = released("embedded_identity", folder)?.display().to_string();
    let free_ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
    let command = [&[server.as_str()], free_ports.as_slice()].concat();
    let count = |options: &[&str]| {
        let command = [&command[..], options].concat();
        Cost::least_of(TIMES, &[], &command).unwrap_or_else(|error| panic!("{error}"))
    };
    let cost = count(&[]);
    let within = cost.instructions <= INSTRUCTIONS && cost.allocations <= ALLOCATIONS;
    assert!(
        within,
        "{cost:?}, more than {INSTRUCTIONS} and {ALLOCATIONS}"
    );
    for option in CHEAP {
        let with = count(&[option]);
        let ratio = with.instructions / cost.instructions;
        assert!(ratio <= 1.05, "{option}: {with:?} beside {cost:?}");
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
        let cost = Cost::of_client(TIMES, &[client.as_str(), "async", &url]);
        let cost = cost.unwrap_or_else(|error| panic!("{error}"));
        let within = cost.instructions <= instructions && cost.allocations <= allocations;
        assert!(
            within,
            "{scheme}: {cost:?}, more than {instructions} and {allocations}"
        );
    }
    Ok(())
}
