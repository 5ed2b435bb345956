//! The clients of the examples, asking the examples.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Server, finish};

use crate::{Result, urls};

const DEADLINE: Duration = Duration::from_secs(60);

/// What a client prints over each protocol.
fn printed(server: &str, arguments: &[&str], client: &str) -> Result<[String; 2]> {
    let server = Server::start(server, arguments)?;
    let [http, grpc] = urls(&server);
    let print = |url: &str| finish(Command::new(client).arg(url), DEADLINE)?.success(client);
    Ok([print(&http)?, print(&grpc)?])
}

#[test]
fn linear() -> Result {
    let (server, client) = (
        env!("CARGO_BIN_EXE_example_linear"),
        env!("CARGO_BIN_EXE_example_linear_client"),
    );
    let [http, grpc] = printed(server, &[], client)?;
    assert_eq!(http, grpc);
    // Twice the sum of the squares of 0 to 19, divided by 16.
    assert!(http.starts_with("[[308.75, "), "{http}");
    Ok(())
}

#[test]
fn parameters_and_headers() -> Result {
    let (server, client) = (
        env!("CARGO_BIN_EXE_example_parameters"),
        env!("CARGO_BIN_EXE_example_parameters_client"),
    );
    let forwarded = [
        "--http-header-forward-pattern=x-.*",
        "--grpc-header-forward-pattern=x-.*",
    ];
    for said in printed(server, &forwarded, client)? {
        assert_eq!(said.trim_end(), "hello hello ada, from instance 0");
    }
    Ok(())
}

#[test]
fn multi_instance() -> Result {
    let (server, client) = (
        env!("CARGO_BIN_EXE_example_multi_instance"),
        env!("CARGO_BIN_EXE_example_multi_instance_client"),
    );
    for said in printed(server, &[], client)? {
        let counts = said.lines().filter_map(|line| {
            let (device, count) = line.split_once(": ")?;
            assert!(["gpu:0", "gpu:1"].contains(&device), "{said}");
            count.parse::<u32>().ok()
        });
        assert_eq!(counts.sum::<u32>(), 1000, "{said}");
    }
    Ok(())
}

#[test]
fn streaming() -> Result {
    let server = Server::start(env!("CARGO_BIN_EXE_example_streaming"), &[])?;
    let [_, grpc] = urls(&server);
    let client = env!("CARGO_BIN_EXE_example_streaming_client");
    let mut command = Command::new(client);
    let said = finish(command.args([&grpc, "You may"]), DEADLINE)?.success(client)?;
    assert!(said.starts_with("You may "), "{said}");
    assert_eq!(said.split_whitespace().count(), 22, "{said}");
    Ok(())
}
