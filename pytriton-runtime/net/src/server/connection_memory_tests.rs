//! The memory that connections hold before their requests are served.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::routing::post;
use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::server::head_budget::MIN_RESERVE_BYTES;
use crate::{ConnectionLimits, Connections, Endpoint, ReceiveWindows, TowerService};

pub(super) const DEADLINE: Duration = Duration::from_secs(8);

/// The smallest window of an HTTP/2 connection.
pub(super) const WINDOW: usize = 65_535;

/// Serves a port whose `POST /` never reads its body.
pub(super) async fn serve(
    budget: &Arc<MemoryBudget>,
) -> (SocketAddr, watch::Sender<Option<Instant>>) {
    let unread = async |request: Request<Body>| {
        let _unread = request;
        pending::<()>().await
    };
    let read = async |body: Body| {
        let _ = axum::body::to_bytes(body, usize::MAX).await;
        pending::<()>().await
    };
    // The response begins before the request has arrived.
    let echo = async |body: Body| body;
    let router = Router::new()
        .route("/", post(unread))
        .route("/read", post(read))
        .route("/echo", post(echo))
        .fallback(async || "fine");
    let service = TowerService::new(router).health_paths(["/live"]);
    let windows = ReceiveWindows::new(budget);
    let connections = Connections::new(service, &ConnectionLimits::default(), &windows);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(None);
    tokio::spawn(Endpoint::new(listener, connections).serve(stopping));
    (address, stop)
}

pub(super) async fn connect(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(bytes).await.unwrap();
    client
}

/// Waits until the reserved bytes satisfy a condition.
pub(super) async fn until(budget: &MemoryBudget, condition: impl Fn(usize) -> bool) {
    let wait = async {
        while !condition(budget.reserved()) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = timeout(DEADLINE, wait).await;
    assert!(waited.is_ok(), "{} bytes are reserved", budget.reserved());
}

pub(super) async fn response(client: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end, too.
    let _ = timeout(DEADLINE, client.read_to_end(&mut bytes))
        .await
        .unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn half_heads_of_many_connections_stay_within_the_budget() {
    const BUDGET: usize = 64 << 10;
    // hyper's buffer has up to twice the size of its data.
    const BUFFER: usize = 12_000;
    let budget = MemoryBudget::new(BUDGET);
    let (address, _stop) = serve(&budget).await;
    let half = [b"GET /else HTTP/1.1\r\nHost: x\r\nX: ", &[b'x'; 6000][..]].concat();
    let mut clients = Vec::new();
    for number in 1..=5 {
        clients.push(connect(address, &half).await);
        until(&budget, |reserved| reserved >= number * BUFFER).await;
    }
    // The next ones use the reserve when more of their heads arrives.
    for _ in 0..MIN_RESERVE_BYTES / BUFFER {
        clients.push(connect(address, &half).await);
    }
    sleep(Duration::from_millis(100)).await;
    for client in &mut clients[5..] {
        client.write_all(b"more").await.unwrap();
    }
    sleep(Duration::from_millis(100)).await;
    // Others exceed it, and are refused.
    let mut refused = connect(address, &half).await;
    sleep(Duration::from_millis(100)).await;
    refused.write_all(b"more").await.unwrap();
    let refusal = response(&mut refused).await;
    let (head, body) = refusal.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    assert!(
        head.contains(&format!("Content-Length: {}\r\n", body.len())),
        "{head}"
    );
    assert!(budget.reserved() <= BUDGET);
    // Small and complete heads are served, and so is the rest of a head.
    let small = b"GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let complete = [half.as_slice(), b"\r\nConnection: close\r\n\r\n"].concat();
    for request in [&small[..], &complete] {
        let response = response(&mut connect(address, request).await).await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    }
    let mut first = clients.swap_remove(0);
    first.write_all(b"\r\n\r\n").await.unwrap();
    let mut read = [0; 12];
    timeout(DEADLINE, first.read_exact(&mut read))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&read, b"HTTP/1.1 200");
    // The next head has a reservation of its own.
    first.write_all(small).await.unwrap();
    until(&budget, |reserved| reserved < 5 * BUFFER).await;
    drop(clients);
    until(&budget, |reserved| reserved == 0).await;
    drop(first);
}

#[tokio::test]
async fn body_is_not_reserved_like_a_head() {
    // More than the buffers of a socket hold.
    const BODY: usize = 16 << 20;
    // A head and the bytes that arrive with it.
    const HEAD: usize = 64 << 10;
    for version in ["1.0", "1.1"] {
        for path in ["/read", "/echo"] {
            let budget = MemoryBudget::new(4 * BODY);
            let (address, _stop) = serve(&budget).await;
            let head = format!(
                "POST {path} HTTP/{version}\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
                BODY + 1
            );
            let client = connect(address, head.as_bytes()).await;
            let (mut reader, mut writer) = client.into_split();
            let echoed = tokio::spawn(async move { reader.read_to_end(&mut Vec::new()).await });
            let body = vec![7; BODY];
            let write = writer.write_all(&body);
            timeout(DEADLINE, write).await.unwrap().unwrap();
            let peak = budget.peak();
            assert!(peak <= HEAD, "{peak} bytes of {path} over HTTP/{version}");
            drop(writer);
            echoed.abort();
        }
    }
}

pub(super) fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[..], &[kind, flags, 0, 0, 0, 1], payload].concat()
}

/// A connection with a request: `POST` without an end, or `GET`.
fn http2(method: u8, path: &str, end: u8) -> Vec<u8> {
    let mut head = vec![
        method,
        0x86,
        0x41,
        1,
        b'x',
        4,
        u8::try_from(path.len()).unwrap(),
    ];
    head.extend(path.bytes());
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    [&preface[..], &settings, &frame(1, 4 | end, &head)].concat()
}

#[tokio::test]
async fn a_window_without_a_share_is_reserved_by_the_requests_that_may_fill_it() {
    // Three connections get a share of the windows.
    let budget = MemoryBudget::new(12 * WINDOW);
    let (address, _stop) = serve(&budget).await;
    let post = http2(0x83, "/", 0);
    let mut clients = Vec::new();
    for number in 1..=12 {
        let mut client = connect(address, &post).await;
        for _ in 0..3 {
            client
                .write_all(&frame(0, 0, &[7; 16 << 10]))
                .await
                .unwrap();
        }
        clients.push(client);
        until(&budget, |reserved| reserved == number * WINDOW).await;
    }
    for (request, status) in [
        (&post, "503"),
        (&http2(0x82, "/live", 1), "200"),
        (&http2(0x83, "/live", 0), "200"),
        (&http2(0x82, "/else", 1), "200"),
    ] {
        let mut client = connect(address, request).await;
        let mut bytes = Vec::new();
        let status: &[u8] = match status {
            "200" => &[0x88],
            // `:status` with a literal value, compressed or not.
            _ => &[0x48],
        };
        let found = async {
            // The head of the response follows the settings of the server.
            while !bytes
                .windows(10)
                .any(|frame| frame[3] == 1 && frame[9..] == *status)
            {
                client.read_buf(&mut bytes).await.unwrap();
            }
        };
        let found = timeout(DEADLINE, found).await;
        assert!(found.is_ok(), "{status:?} {bytes:?}");
    }
    drop(clients);
    until(&budget, |reserved| reserved == 0).await;
}
