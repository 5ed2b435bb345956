//! A real server on free ports, called over plain sockets.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use pytriton_embedded::server::EmbeddedError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep, timeout};

use crate::registry::Registry;
use crate::server::{Options, Server};
use crate::testing::{GATE, IDENTITY};

const DEADLINE: Duration = Duration::from_secs(10);

/// Parses the options. Ports that are not given are free ones.
pub(super) fn options(arguments: &[&str]) -> Options {
    let ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
    Options::parse(
        ports
            .iter()
            .filter(|port| {
                let name = port.split('=').next().unwrap_or_default();
                !arguments.iter().any(|argument| argument.starts_with(name))
            })
            .chain(arguments),
    )
    .unwrap()
}

async fn start(arguments: &[&str]) -> Result<Server, EmbeddedError> {
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    Server::start(
        &registry,
        &options(arguments),
        &super::Extensions::default(),
    )
    .await
}

/// Sends bytes on a new connection and reads it to the end.
pub(super) async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(DEADLINE, stream.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    answer
}

pub(super) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

fn infer(value: f32) -> String {
    let body = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,1],"data":[{value}]}}]}}"#
    );
    format!(
        "POST /v2/models/Identity/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn serves_on_three_ports_and_stops() {
    let server = start(&[]).await.unwrap();
    let addresses = *server.addresses();
    let (http, metrics) = (addresses.http().unwrap(), addresses.metrics().unwrap());
    assert!(addresses.grpc().unwrap().port() > 0);
    let ready = exchange(http, &get("/v2/health/ready")).await;
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    let metrics = exchange(metrics, &get("/metrics")).await;
    assert!(metrics.contains("nv_inference_count{model=\"Identity\",version=\"1\"} 0"));
    assert!(server.stop(DEADLINE).await);
    assert!(TcpStream::connect(http).await.is_err());
}

#[tokio::test]
async fn accepted_request_completes_during_shutdown() {
    let server = start(&[]).await.unwrap();
    let http = server.addresses().http().unwrap();
    let idle = TcpStream::connect(http).await.unwrap();
    let mut kept_alive = TcpStream::connect(http).await.unwrap();
    kept_alive.write_all(infer(1.0).as_bytes()).await.unwrap();
    assert!(kept_alive.read(&mut [0; 1024]).await.unwrap() > 0);
    // The function takes 50 ms.
    let slow = tokio::spawn(async move { exchange(http, &infer(-4.0)).await });
    sleep(Duration::from_millis(20)).await;
    let begun = Instant::now();
    // The stop waits neither for the connection that never sent a byte nor for the idle one.
    assert!(server.stop(DEADLINE).await);
    let answer = slow.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.ends_with("\"data\":[-4.0]}]}"), "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(2));
    drop(idle);
    let mut rest = Vec::new();
    timeout(DEADLINE, kept_alive.read_to_end(&mut rest))
        .await
        .unwrap()
        .unwrap();
    assert!(rest.is_empty());
}

#[tokio::test]
async fn responses_during_shutdown_close_the_connection() {
    let server = start(&[]).await.unwrap();
    let mut client = TcpStream::connect(server.addresses().http().unwrap())
        .await
        .unwrap();
    client.write_all(infer(1.0).as_bytes()).await.unwrap();
    assert!(client.read(&mut [0; 1024]).await.unwrap() > 0);
    let stopped = tokio::spawn(server.stop(DEADLINE));
    sleep(Duration::from_millis(20)).await;
    client.write_all(infer(2.0).as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(DEADLINE, client.read_to_string(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert!(answer.ends_with("\"data\":[2.0]}]}"), "{answer}");
    drop(client);
    assert!(stopped.await.unwrap());
}

#[tokio::test]
async fn pending_requests_fail_at_the_deadline() {
    let server = start(&[]).await.unwrap();
    let http = server.addresses().http().unwrap();
    let gate = GATE.lock().await;
    let stuck = tokio::spawn(async move { exchange(http, &infer(-5.0)).await });
    let begun = Instant::now();
    sleep(Duration::from_millis(50)).await;
    assert!(!server.stop(Duration::from_millis(200)).await);
    let answer = stuck.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("Server is stopping"), "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(3));
    drop(gate);
}

#[tokio::test]
async fn stalled_body_does_not_delay_shutdown() {
    let server = start(&[]).await.unwrap();
    let http = server.addresses().http().unwrap();
    let request = infer(1.0);
    let half = request[..request.len() - 20].to_owned();
    let waiting = tokio::spawn(async move { exchange(http, &half).await });
    sleep(Duration::from_millis(50)).await;
    let begun = Instant::now();
    assert!(server.stop(DEADLINE).await);
    assert!(begun.elapsed() < Duration::from_secs(4));
    let answer = waiting.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("Server is stopping"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slowly_read_response_arrives_completely() {
    const ELEMENTS: usize = 2 << 20;
    const STEP: usize = 64 << 10;
    let server = start(&["--body-timeout-secs=1"]).await.unwrap();
    let header = format!(
        r#"{{"parameters":{{"binary_data_output":true}},"inputs":[{{"name":"INPUT_1","datatype":"FP32","shape":[1,{ELEMENTS}],"parameters":{{"binary_data_size":{}}}}}]}}"#,
        4 * ELEMENTS
    );
    let head = format!(
        "POST /v2/models/Identity/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nInference-Header-Content-Length: {}\r\nContent-Length: {}\r\n\r\n{header}",
        header.len(),
        header.len() + 4 * ELEMENTS
    );
    let mut client = TcpStream::connect(server.addresses().http().unwrap())
        .await
        .unwrap();
    client.write_all(head.as_bytes()).await.unwrap();
    client.write_all(&vec![0; 4 * ELEMENTS]).await.unwrap();
    let (mut seen, mut step) = (0, vec![0; STEP]);
    loop {
        let read = client.read(&mut step).await.unwrap();
        if read == 0 {
            break;
        }
        seen += read;
        sleep(Duration::from_secs_f64(read as f64 / f64::from(700 << 10))).await;
    }
    assert!(seen > 4 * ELEMENTS, "{seen} of {} bytes", 4 * ELEMENTS);
    assert!(server.stop(DEADLINE).await);
}

#[test]
fn shutdown_ends_although_every_worker_is_blocked() {
    let workers = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = workers.block_on(start(&[])).unwrap();
    let (held, holds) = std::sync::mpsc::channel();
    workers.spawn(async move {
        held.send(()).unwrap();
        std::thread::sleep(Duration::from_secs(4));
    });
    holds.recv().unwrap();
    let begun = Instant::now();
    let here = Builder::new_current_thread().enable_all().build().unwrap();
    assert!(!here.block_on(server.stop(Duration::from_millis(200))));
    workers.shutdown_background();
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_head_above_the_limit_is_refused() {
    let server = start(&[]).await.unwrap();
    let http = server.addresses().http().unwrap();
    for (length, status) in [(10_000, "200"), (20_000, "431")] {
        let filler = "x".repeat(length);
        let request = format!(
            "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nX-Filler: {filler}\r\nConnection: close\r\n\r\n"
        );
        let answer = exchange(http, &request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
    }
    server.stop(DEADLINE).await;
}

#[tokio::test]
async fn invalid_http_is_refused_and_closes_the_connection() {
    let server = start(&[]).await.unwrap();
    let addresses = *server.addresses();
    let (http, metrics) = (addresses.http().unwrap(), addresses.metrics().unwrap());
    let table = [
        (http, "", "400"),
        (metrics, "", "400"),
        (http, "Host: localhost\r\nHost: y\r\n", "400"),
        (
            http,
            "Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n",
            "400",
        ),
        (http, "Host: localhost\r\nConnection: close\r\n", "200"),
    ];
    for (address, headers, status) in table {
        let request = format!("GET /v2/health/live HTTP/1.1\r\n{headers}\r\n");
        let answer = exchange(address, &request).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(answer.starts_with(&expected), "{headers}: {answer}");
    }
    server.stop(DEADLINE).await;
}

#[tokio::test]
async fn one_port_can_serve_http_and_grpc() {
    let port = {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .unwrap();
        listener.local_addr().unwrap().port()
    };
    let (http, grpc) = (format!("--http-port={port}"), format!("--grpc-port={port}"));
    let server = start(&[&http, &grpc]).await.unwrap();
    let addresses = *server.addresses();
    assert_eq!(addresses.http(), addresses.grpc());
    let ready = exchange(addresses.http().unwrap(), &get("/v2/health/ready")).await;
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    let channel = tonic::transport::Endpoint::from_shared(format!("http://127.0.0.1:{port}"));
    let channel = channel.unwrap().connect().await.unwrap();
    let mut health = tonic_health::pb::health_client::HealthClient::new(channel);
    let check = tonic_health::pb::HealthCheckRequest::default();
    assert_eq!(health.check(check).await.unwrap().into_inner().status, 1);
}

#[tokio::test]
async fn unsupported_models_fail_the_start() {
    let taken = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    let taken = taken.local_addr().map(|at| (at, taken)).unwrap();
    let port = format!("--grpc-port={}", taken.0.port());
    let table: [(&[&str], &str); 2] = [
        (&[&port], "for grpc (option --grpc-port)"),
        (
            &["--allow-http=false", "--allow-grpc=false"],
            "has to be allowed",
        ),
    ];
    for (arguments, expected) in table {
        let error = start(arguments).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[tokio::test]
async fn start_and_shutdown_leak_nothing() {
    let count = |what: &str| {
        std::fs::read_dir(format!("/proc/self/{what}"))
            .unwrap()
            .count()
    };
    start(&[]).await.unwrap().stop(DEADLINE).await;
    let (threads, files) = (count("task"), count("fd"));
    for _ in 0..100 {
        assert!(start(&[]).await.unwrap().stop(DEADLINE).await);
    }
    // Other tests of the process use threads and files too. Allow for those, but not for 100 of
    // ours.
    assert!(count("task") < threads + 80);
    assert!(count("fd") < files + 80);
}
