//! Clients that read their responses late, on a port at its connection limit.

use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::{ConnectionLimits, Connections, Endpoint, ReceiveWindows, TowerService};

const DEADLINE: Duration = Duration::from_secs(20);

/// More than the socket buffers of client and server.
const RESPONSE_BYTES: usize = 16 << 20;

/// A little longer than a connection must be idle to be replaced.
const LATE: Duration = Duration::from_millis(5500);

#[tokio::test]
async fn a_late_reader_gets_its_whole_response_although_other_connections_arrive() {
    let router = Router::new().fallback(async || "x".repeat(RESPONSE_BYTES));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = ConnectionLimits {
        max_connections: 1,
        ..ConnectionLimits::default()
    };
    let service = TowerService::new(router);
    let connections = Connections::new(service, &limits, &ReceiveWindows::unlimited());
    let endpoint = Endpoint::new(listener, connections);
    let (_stop, stopping) = watch::channel::<Option<Instant>>(None);
    tokio::spawn(endpoint.serve(stopping));
    let mut late = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    late.write_all(request).await.unwrap();
    sleep(LATE).await;
    // Another connection is refused and does not replace the late reader.
    let mut other = TcpStream::connect(address).await.unwrap();
    other.write_all(request).await.unwrap();
    let mut refusal = Vec::new();
    let read = timeout(DEADLINE, other.read_to_end(&mut refusal)).await;
    read.unwrap().unwrap();
    assert!(refusal.starts_with(b"HTTP/1.1 503"));
    let mut response = Vec::new();
    let read = timeout(DEADLINE, late.read_to_end(&mut response)).await;
    read.unwrap().unwrap();
    assert!(response.len() > RESPONSE_BYTES, "{}", response.len());
}
