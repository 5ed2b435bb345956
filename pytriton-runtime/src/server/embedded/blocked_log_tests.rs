//! Tests of a server in another process whose standard error is a full pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::registry::Registry;
use crate::server::{Options, Server};
use crate::testing::IDENTITY;
use crate::trace::TracesExporter;

use crate::logging::{LogSettings, flush, init};

const DEADLINE: Duration = Duration::from_secs(60);

/// The variable that marks the process that logs.
const LOGS: &str = "PYTRITON_TEST_BLOCKED_LOG";

const NAME: &str =
    "server::embedded::blocked_log_tests::unread_standard_error_does_not_block_requests";

/// Several times the capacity of the pipe and the queue.
const LINES: usize = 20_000;

/// Serves, logs on several threads, and ends at the end of standard input.
async fn serve() {
    let _export = init(&LogSettings::default(), TracesExporter::None).unwrap();
    let ports = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
    let options = Options::parse(ports).unwrap();
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let server = Server::start(&registry, &options, &super::Extensions::default())
        .await
        .unwrap();
    println!("address {}", server.addresses().http().unwrap());
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            thread::spawn(move || {
                for line in 0..LINES / 4 {
                    tracing::info!(thread, line, filler = "x".repeat(200), "logged");
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    println!("logged all");
    let end = || std::io::stdin().read_to_end(&mut Vec::new());
    tokio::task::spawn_blocking(end).await.unwrap().unwrap();
    tracing::info!("the last line");
    flush();
}

/// Returns the health of the server over HTTP.
fn is_live(address: &str) -> bool {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let request = b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.starts_with("HTTP/1.1 200")
}

#[test]
fn unread_standard_error_does_not_block_requests() {
    if std::env::var_os(LOGS).is_some() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(serve());
        runtime.shutdown_background();
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env(LOGS, "1")
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (lines, said) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        stdout
            .lines()
            .try_for_each(|line| lines.send(line.unwrap()))
    });
    let next = |part: &str| loop {
        let line = said.recv_timeout(DEADLINE).expect("the child goes on");
        if let Some((_, rest)) = line.split_once(part) {
            return rest.to_owned();
        }
    };
    let address = next("address ");
    next("logged all");
    assert!(is_live(&address));
    // Dropped lines are reported as soon as the pipe is read, and the last line arrives.
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("log lines were dropped") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
    }
    drop(child.stdin.take());
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("the last line"), "{rest}");
    assert!(child.wait().unwrap().success());
}
