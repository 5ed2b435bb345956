//! The memory for HTTP/2 requests that the server does not read, measured in a separate process.

use std::fs;
use std::future::pending;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::DefaultBodyLimit;
use axum::http::Request;
use axum::routing::post;
use http_body_util::Full;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use pytriton_core::memory_budget::MemoryBudget;

use crate::{ConnectionLimits, Connections, ReceiveWindows, TowerService};
const CONNECTIONS: usize = 64;
const STREAMS: usize = 4;
const BUDGET: usize = 64 << 20;

/// The environment variable that marks the measured process. Its value is the budget.
const MEASURED: &str = "PYTRITON_TEST_RECEIVE_WINDOWS";

/// The name of the test.
const NAME: &str = "server::receive_windows_tests::unread_streams_stay_within_the_budget";

/// Returns the resident memory of the process in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kibibytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kibibytes.parse::<usize>().unwrap() << 10
}

/// Returns by how much the process grows when many connections send data that is not read.
async fn growth(budget: usize) -> usize {
    let arrived = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&arrived);
    let router = Router::new().fallback(async move |request: Request<Body>| {
        count.fetch_add(1, Ordering::Relaxed);
        let _unread = request;
        pending::<()>().await
    });
    let windows = ReceiveWindows::new(&MemoryBudget::new(budget));
    let service = TowerService::new(router);
    let connections = Connections::new(service, &ConnectionLimits::default(), &windows);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (_stop, stopping) = watch::channel::<Option<Instant>>(None);
    let body = Bytes::from(vec![7; 8 << 20]);
    let mut senders = Vec::new();
    let before = resident();
    for _ in 0..CONNECTIONS {
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (client, accepted) = tokio::join!(client, listener.accept());
        let stream = accepted.unwrap().0;
        tokio::spawn(connections.clone().serve(stream, stopping.clone()));
        let io = TokioIo::new(client.unwrap());
        let client = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        let (mut sender, connection) = client.handshake(io).await.unwrap();
        tokio::spawn(connection);
        for _ in 0..STREAMS {
            let request = Request::post("http://localhost/").body(Full::new(body.clone()));
            tokio::spawn(sender.send_request(request.unwrap()));
        }
        senders.push(sender);
    }
    let all = async {
        while arrived.load(Ordering::Relaxed) < CONNECTIONS * STREAMS {
            sleep(Duration::from_millis(10)).await;
        }
        // Waits until no more data arrives.
        let mut last = 0;
        while resident() > last {
            last = resident();
            sleep(Duration::from_millis(300)).await;
        }
    };
    timeout(Duration::from_secs(60), all).await.unwrap();
    resident().saturating_sub(before)
}

#[test]
fn unread_streams_stay_within_the_budget() {
    if let Ok(budget) = std::env::var(MEASURED) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        println!(
            "growth {}",
            runtime.block_on(growth(budget.parse().unwrap()))
        );
        runtime.shutdown_background();
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture"])
        .env(MEASURED, BUDGET.to_string())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    let growth = output.lines().find_map(|line| line.split_once("growth "));
    let growth: usize = growth.expect("the child measures").1.parse().unwrap();
    println!("{CONNECTIONS} connections: {} MiB", growth >> 20);
    // The windows may use a quarter of the budget. Clients and sockets are in the same process.
    assert!(growth < BUDGET, "{} MiB", growth >> 20);
}

/// The budgets with the smallest window of a connection, and with the largest.
const BUDGETS: [usize; 2] = [1 << 20, 1 << 30];

#[tokio::test]
async fn unread_streams_leave_a_window_for_others() {
    for budget in BUDGETS {
        let mut sender = with_unread_streams(budget, 3).await;
        let response = sender.send_request(request("/read", 4 << 20));
        let response = timeout(Duration::from_secs(10), response).await;
        let response = response.expect("the connection has no window left");
        assert_eq!(response.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn unread_streams_do_not_delay_health_calls() {
    for budget in BUDGETS {
        // More unread streams block requests that have a body.
        for (unread, with_body) in [(1, true), (2, true), (4, true), (7, false)] {
            let mut sender = with_unread_streams(budget, unread).await;
            // Over HTTP, a health call has no body. Over gRPC, it has one of five bytes.
            for (bytes, expected) in [(0, true), (5, with_body)] {
                let time = Duration::from_secs(if expected { 10 } else { 1 });
                let response = sender.send_request(request("/read", bytes));
                let response = timeout(time, response).await;
                assert_eq!(response.is_ok(), expected, "{budget} {unread} {bytes}");
            }
        }
    }
}

/// Returns the client of a connection with streams whose windows are full.
async fn with_unread_streams(budget: usize, unread: usize) -> SendRequest<Full<Bytes>> {
    let arrived = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&arrived);
    let never = async move |request: Request<Body>| {
        count.fetch_add(1, Ordering::Relaxed);
        let _unread = request;
        pending::<()>().await
    };
    let read = async |body: Bytes| body.len().to_string();
    let router = Router::new()
        .route("/unread", post(never))
        .route("/read", post(read).layer(DefaultBodyLimit::disable()));
    let windows = ReceiveWindows::new(&MemoryBudget::new(budget));
    let mut sender = connect(router, &windows).await;
    // The windows apply once the client has received the settings.
    let first = sender.send_request(request("/read", 1)).await;
    first.unwrap();
    for _ in 0..unread {
        tokio::spawn(sender.send_request(request("/unread", 8 << 20)));
    }
    while arrived.load(Ordering::Relaxed) < unread {
        sleep(Duration::from_millis(10)).await;
    }
    // The windows of the streams fill up.
    sleep(Duration::from_millis(500)).await;
    sender
}

fn request(path: &str, bytes: usize) -> Request<Full<Bytes>> {
    let body = Full::new(Bytes::from(vec![7; bytes]));
    let request = Request::post(format!("http://localhost{path}"));
    request.body(body).unwrap()
}

/// Serves a connection and returns its client.
async fn connect(router: Router, windows: &Arc<ReceiveWindows>) -> SendRequest<Full<Bytes>> {
    let service = TowerService::new(router);
    let connections = Connections::new(service, &ConnectionLimits::default(), windows);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap());
    let (client, accepted) = tokio::join!(client, listener.accept());
    let stream = accepted.unwrap().0;
    tokio::spawn(async move {
        let (_stop, stopping) = watch::channel::<Option<Instant>>(None);
        connections.serve(stream, stopping).await
    });
    let io = TokioIo::new(client.unwrap());
    let client = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    let (sender, connection) = client.handshake(io).await.unwrap();
    tokio::spawn(connection);
    sender
}
