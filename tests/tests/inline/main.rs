//! Models with `inline = true` in a release build: no two calls use one instance at the same time,
//! none is lost, and a call that blocks fails alone.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use pytriton::client::ModelClient;
use pytriton::ndarray::{Array2, Ix2, array};
use pytriton_tests::{Server, finish, released};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Half of the calls are over HTTP and half over gRPC.
const CALLS: u32 = 200_000;
/// Each has a connection of its own.
const CLIENTS_OF_EACH: u32 = 4;
const DEADLINE: Duration = Duration::from_secs(300);

/// Sends requests one after the other.
fn send(client: &Path, url: &str, requests: u32) -> Result {
    let mut command = Command::new(client);
    command
        .args(["async", url, "--model=InlineCounter"])
        .arg(format!("--requests={requests}"));
    finish(&mut command, DEADLINE)?.success("asking")?;
    Ok(())
}

#[test]
fn calls_over_http_and_grpc_use_each_instance_exclusively() -> Result {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = Server::start(released("embedded_models", folder)?, &[])?;
    let client = released("asking", folder)?;
    let banner = server.banner();
    let urls = [
        format!("http://{}", banner.http),
        format!("grpc://{}", banner.grpc),
    ];
    let of_client = CALLS / (2 * CLIENTS_OF_EACH);
    thread::scope(|scope| {
        let clients: Vec<_> = urls
            .iter()
            .flat_map(|url| (0..CLIENTS_OF_EACH).map(move |_| url))
            .map(|url| scope.spawn(|| send(&client, url, of_client)))
            .collect();
        let mut results = clients
            .into_iter()
            .map(|client| client.join().expect("the thread does not panic"));
        results.try_for_each(|result| result)
    })?;

    let counter = ModelClient::new(&urls[0], "InlineCounter")?;
    let input = Array2::<f32>::zeros((1, 1));
    let outputs = counter.infer_batch(&input)?;
    let counts = outputs.array::<u32, Ix2>("OUTPUT_1")?;
    let [calls, of_instances, overlaps, inline] = [0, 1, 2, 3].map(|column| counts[[0, column]]);
    // Each client has sent one request before it counts.
    assert_eq!(calls, CALLS + 2 * CLIENTS_OF_EACH + 1);
    assert_eq!(of_instances, calls, "lost calls");
    assert_eq!(overlaps, 0, "calls of one instance at the same time");
    // The load decides how many.
    assert!(inline > calls / 10, "{inline} of {calls} calls were inline");
    Ok(())
}

#[test]
fn calls_that_block_one_of_a_thousand_times_fail_alone() -> Result {
    const CALLS: u32 = 10_000;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let server = Server::start(released("embedded_models", folder)?, &[])?;
    let banner = server.banner();
    let mut failed = 0;
    let mut calls = 0;
    for url in [
        format!("http://{}", banner.http),
        format!("grpc://{}", banner.grpc),
    ] {
        let client = ModelClient::new(&url, "InlineBlocking")?;
        for number in 1..=CALLS {
            calls += 1;
            match client.infer_batch(array![[number]]) {
                Ok(outputs) => {
                    let returned = outputs.array::<u32, Ix2>("OUTPUT_1")?;
                    assert_eq!(returned[[0, 0]], calls, "{url} {number}");
                    // The instance's own thread may block.
                    assert!(
                        number % 1_000 > 0 || returned[[0, 1]] == 1,
                        "{url} {number}"
                    );
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(number % 1_000 == 0, "{url} {number}: {error}");
                    assert!(error.contains("with `inline = true`"), "{error}");
                    failed += 1;
                }
            }
        }
    }
    // The load decides how many calls are on the instance's own thread.
    assert!(failed > 10, "{failed} of 20 calls failed");
    Ok(())
}
