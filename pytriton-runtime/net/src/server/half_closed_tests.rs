//! Clients that close their side: some wait for the response, others are gone.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::{ConnectionLimits, Connections, ReceiveWindows, TowerService};

const DEADLINE: Duration = Duration::from_secs(8);

/// How long a response takes.
const SLOW: Duration = Duration::from_millis(300);

/// Larger than the socket buffers.
const RESPONSE_BYTES: usize = 16 << 20;

/// Sends a request to a slow server. Returns a value that lives until the server drops the request.
async fn ask(
    request: &str,
) -> (
    TcpStream,
    std::sync::Weak<()>,
    watch::Sender<Option<Instant>>,
) {
    connect(
        async |client| client.write_all(request.as_bytes()).await,
        false,
    )
    .await
}

/// Connects to a server. `act` runs before or while the client is served.
async fn connect(
    act: impl AsyncFnOnce(&mut TcpStream) -> io::Result<()>,
    first: bool,
) -> (
    TcpStream,
    std::sync::Weak<()>,
    watch::Sender<Option<Instant>>,
) {
    let held = Arc::new(());
    let holds = Arc::downgrade(&held);
    let router = Router::new().fallback(async move |body: Bytes| {
        let held = held;
        sleep(SLOW * u32::try_from(body.len()).unwrap()).await;
        drop(held);
        "x".repeat(RESPONSE_BYTES)
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let (stop, stopping) = watch::channel(None);
    let connections = Connections::new(
        TowerService::new(router),
        &ConnectionLimits::default(),
        &ReceiveWindows::unlimited(),
    );
    let serving = connections.serve(stream, stopping);
    if first {
        act(&mut client).await.unwrap();
        tokio::spawn(serving);
    } else {
        tokio::spawn(serving);
        act(&mut client).await.unwrap();
    }
    (client, holds, stop)
}

fn post(length: usize, body: &str) -> String {
    format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[tokio::test]
async fn a_client_that_closes_its_side_receives_its_response() {
    for (pause, length) in [(0, 0), (0, 1), (100, 1)] {
        let (mut client, _, _stop) = ask(&post(length, &"a".repeat(length))).await;
        sleep(Duration::from_millis(pause)).await;
        client.shutdown().await.unwrap();
        assert_large_response(&mut client).await;
    }
}

#[tokio::test]
async fn a_client_that_closed_its_side_before_it_is_served_receives_its_response() {
    for length in [0, 1] {
        let request = post(length, &"a".repeat(length));
        let send = async |client: &mut TcpStream| {
            client.write_all(request.as_bytes()).await?;
            client.shutdown().await?;
            // Both arrive before the first one is read.
            sleep(Duration::from_millis(20)).await;
            Ok(())
        };
        let (mut client, _, _stop) = connect(send, true).await;
        assert_large_response(&mut client).await;
    }
}

async fn assert_large_response(client: &mut TcpStream) {
    assert_response(client, RESPONSE_BYTES).await;
}

async fn assert_response(client: &mut TcpStream, length: usize) {
    let mut answer = String::new();
    let read = timeout(DEADLINE, client.read_to_string(&mut answer)).await;
    read.unwrap().unwrap();
    let answer = answer
        .strip_prefix("HTTP/1.1 100 Continue\r\n\r\n")
        .unwrap_or(&answer);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer:.30}");
    assert!(answer.len() > length, "{}", answer.len());
}

#[tokio::test]
async fn the_request_of_a_disconnected_client_is_dropped() {
    for (length, body) in [(60, "a".repeat(60)), (60, "a".to_owned())] {
        let (client, held, _stop) = ask(&post(length, &body)).await;
        sleep(Duration::from_millis(100)).await;
        drop(client);
        let disconnected = Instant::now();
        while held.strong_count() > 0 {
            assert!(
                disconnected.elapsed() < Duration::from_secs(1),
                "{}",
                body.len()
            );
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn the_last_response_of_a_half_closed_connection_is_written_in_a_later_turn() {
    // Some of these responses begin after the earlier ones have used up their turn.
    for count in 55..75 {
        let router = Router::new().fallback(async || "x".repeat(1000));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (mut client, stream) = (client.unwrap(), accepted.unwrap().0);
        let (_stop, stopping) = watch::channel(None);
        let limits = ConnectionLimits::default();
        let connections = Connections::new(
            TowerService::new(router),
            &limits,
            &ReceiveWindows::unlimited(),
        );
        tokio::spawn(connections.serve(stream, stopping));
        let mut read = String::new();
        for number in 1..=count {
            client.write_all(post(0, "").as_bytes()).await.unwrap();
            if number == count {
                client.shutdown().await.unwrap();
                break;
            }
            let mut answer = [0; 1000];
            while !read.ends_with(&"x".repeat(1000)) {
                let bytes = timeout(DEADLINE, client.read(&mut answer))
                    .await
                    .unwrap()
                    .unwrap();
                assert!(bytes > 0, "{number} of {count}");
                read += std::str::from_utf8(&answer[..bytes]).unwrap();
            }
            read.clear();
        }
        assert_response(&mut client, 1000).await;
    }
}
