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

const PATIENCE: Duration = Duration::from_secs(8);

/// How long a response takes.
const SLOW: Duration = Duration::from_millis(300);

/// Larger than the socket buffers.
const ANSWER: usize = 16 << 20;

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
        "x".repeat(ANSWER)
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
async fn a_client_that_has_closed_its_side_gets_its_answer() {
    for (pause, length) in [(0, 0), (0, 1), (100, 1)] {
        let (mut client, _, _stop) = ask(&post(length, &"a".repeat(length))).await;
        sleep(Duration::from_millis(pause)).await;
        client.shutdown().await.unwrap();
        is_answered(&mut client).await;
    }
}

#[tokio::test]
async fn so_does_one_that_had_closed_it_before_it_was_served() {
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
        is_answered(&mut client).await;
    }
}

async fn is_answered(client: &mut TcpStream) {
    is_answered_with(client, ANSWER).await;
}

async fn is_answered_with(client: &mut TcpStream, length: usize) {
    let mut answer = String::new();
    let read = timeout(PATIENCE, client.read_to_string(&mut answer)).await;
    read.unwrap().unwrap();
    let answer = answer
        .strip_prefix("HTTP/1.1 100 Continue\r\n\r\n")
        .unwrap_or(&answer);
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer:.30}");
    assert!(answer.len() > length, "{}", answer.len());
}

#[tokio::test]
async fn a_client_that_is_gone_is_given_up() {
    for (length, body) in [(60, "a".repeat(60)), (60, "a".to_owned())] {
        let (client, held, _stop) = ask(&post(length, &body)).await;
        sleep(Duration::from_millis(100)).await;
        drop(client);
        let gone = Instant::now();
        while held.strong_count() > 0 {
            assert!(gone.elapsed() < Duration::from_secs(1), "{}", body.len());
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn the_last_of_many_requests_is_answered_whose_turn_to_be_written_comes_later() {
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
                let bytes = timeout(PATIENCE, client.read(&mut answer))
                    .await
                    .unwrap()
                    .unwrap();
                assert!(bytes > 0, "{number} of {count}");
                read += std::str::from_utf8(&answer[..bytes]).unwrap();
            }
            read.clear();
        }
        is_answered_with(&mut client, 1000).await;
    }
}
