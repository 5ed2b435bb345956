//! Clients that die in the middle of an operation.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_tests::{Result, Server};

use crate::engine::start;
use crate::load::Load;
use crate::process::wait_until;
use crate::random::Random;
use crate::{EXIT, MODELS, NOTICED, http, python};

/// Sends half of some requests over HTTP and gRPC.
const UPLOADS: &str = r#"
import socket, sys, time
half = b"x" * (2 << 20)
held = []
for _ in range(4):
    stream = socket.create_connection(sys.argv[1].split(":"))
    stream.sendall(b"POST /v2/models/AddSub/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194304\r\n\r\n" + half)
    held.append(stream)
    stream = socket.create_connection(sys.argv[2].split(":"))
    # A preface, settings, and the first half of the headers of a request.
    stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\1\0\1\4\0\0\0\1abc")
    held.append(stream)
print("sent", flush=True)
time.sleep(60)
"#;

/// Sends five consecutive naps over gRPC.
const NAPS: &str = r#"
import sys, time
import numpy as np
import tritonclient.grpc as protocol
client = protocol.InferenceServerClient(sys.argv[2])
nap = protocol.InferInput("milliseconds", [1, 1], "UINT32")
nap.set_data_from_numpy(np.array([[1000]], dtype=np.uint32))
for _ in range(5):
    client.async_infer("Slow", [nap], callback=lambda result, error: None)
print("sent", flush=True)
time.sleep(60)
"#;

fn client(script: &str, server: &Server) -> Result<Child> {
    let banner = server.banner();
    let mut child = python()?
        .command()
        .args(["-c", script, &banner.http, &banner.grpc])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut line)?;
    }
    assert_eq!(line, "sent\n");
    Ok(child)
}

fn metric(server: &Server, family: &str, model: &str) -> f64 {
    http::metric(&server.banner().metrics, family, model).unwrap_or(f64::NAN)
}

fn pending(server: &Server, model: &str) -> f64 {
    metric(server, "nv_inference_pending_request_count", model)
}

fn deaths(server: &Server) -> Result<()> {
    let mut random = Random::new();
    // Under load.
    for _ in 0..2 {
        let mut load = Load::new()?;
        load.begin(server, "Gather")?;
        thread::sleep(random.moment(Duration::from_millis(100)));
        load.kill()?;
        wait_until("an empty queue", NOTICED, || {
            pending(server, "Gather") == 0.0
        });
        assert!(http::right(&server.banner().http));
    }
    // During an upload.
    let mut uploads = client(UPLOADS, server)?;
    uploads.kill()?;
    uploads.wait()?;
    assert!(http::right(&server.banner().http));
    assert_eq!(pending(server, "AddSub"), 0.0);
    // While they wait: the running one cannot be stopped, the four queued ones are cancelled.
    let executed = metric(server, "nv_inference_exec_count", "Slow");
    let mut naps = client(NAPS, server)?;
    wait_until("the queue", EXIT, || pending(server, "Slow") == 4.0);
    naps.kill()?;
    naps.wait()?;
    let begun = Instant::now();
    let nap = http::receive(http::nap(&server.banner().http, "Slow", 1)?)?;
    assert_eq!(nap.status, 200);
    assert!(
        begun.elapsed() < Duration::from_millis(1900),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(pending(server, "Slow"), 0.0);
    let executed = metric(server, "nv_inference_exec_count", "Slow") - executed;
    assert!(
        (1.0..=2.0).contains(&executed),
        "{executed} of the naps were executed"
    );
    Ok(())
}

#[test]
fn embedded_engine_releases_resources_of_killed_clients() -> Result<()> {
    deaths(&Server::start(MODELS, &[])?)
}

#[test]
fn tritonserver_releases_resources_of_killed_clients() -> Result<()> {
    let home = tempfile::tempdir()?;
    deaths(&start(home.path(), &[])?)
}
