//! HTTP/2 connections that their clients neglect, frame by frame.

use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::Limits;

use super::connection::{Connections, Ending, Protocol};
use super::door::Rooms;
use super::traffic::Traffic;

const PATIENCE: Duration = Duration::from_secs(8);

/// Larger than what a client takes that never says it could take more.
const ANSWER: usize = 200_000;

/// A client's first words, with the window that it gives each answer.
fn hello(window: u32) -> Vec<u8> {
    let setting = [&[0, 4], window.to_be_bytes().as_slice()].concat();
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        frame(4, 0, 0, &setting).as_slice(),
    ]
    .concat()
}

/// `GET /` with the end of the stream.
fn get(stream: u32) -> Vec<u8> {
    frame(1, 5, stream, &[0x82, 0x84, 0x86, 0x41, 1, b'x'])
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [
        length.as_slice(),
        &[kind, flags],
        stream.to_be_bytes().as_slice(),
        payload,
    ]
    .concat()
}

/// A connection to a server of one connection, which says how it ended, and answers so many bytes.
async fn connect(
    limits: Limits,
    answer: usize,
) -> (
    TcpStream,
    JoinHandle<Ending>,
    watch::Sender<Option<Instant>>,
) {
    let router = Router::new().fallback(async move || "x".repeat(answer));
    let connections = Connections::new(Protocol::Http2, &limits, Rooms::Routes(router));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let (stop, stopping) = watch::channel(None);
    let served = tokio::spawn(connections.serve(stream, Traffic::new(), stopping));
    (client.unwrap(), served, stop)
}

fn limits(header_timeout: u64, body_timeout: u64) -> Limits {
    Limits {
        header_timeout: Duration::from_millis(header_timeout),
        body_timeout: Duration::from_millis(body_timeout),
        ..Limits::default()
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_although_it_had_a_request() {
    let (mut client, served, _stop) = connect(limits(400, 8000), 1000).await;
    let begun = Instant::now();
    let greeting = [hello(1 << 20), get(1)].concat();
    client.write_all(&greeting).await.unwrap();
    let mut seen = Vec::new();
    let closed = timeout(PATIENCE, client.read_to_end(&mut seen)).await;
    assert!(closed.is_ok());
    let ending = timeout(PATIENCE, served).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::Itself);
    // Neither at once nor never.
    assert!(begun.elapsed() > Duration::from_millis(350));
    assert!(
        seen.windows(9)
            .any(|frame| frame[3..] == [7, 0, 0, 0, 0, 0])
    );
}

#[tokio::test]
async fn an_answer_that_is_not_taken_ends_its_connection() {
    for window in [0, 70_000] {
        let (mut client, served, _stop) = connect(limits(8000, 400), ANSWER).await;
        let greeting = [hello(window), get(1)].concat();
        client.write_all(&greeting).await.unwrap();
        let ending = timeout(PATIENCE, served).await.unwrap();
        assert_eq!(ending.unwrap(), Ending::Itself);
    }
}

#[tokio::test]
async fn an_answer_that_is_not_taken_does_not_hold_a_server_that_stops() {
    let (mut client, served, stop) = connect(Limits::default(), ANSWER).await;
    let greeting = [hello(0), get(1)].concat();
    client.write_all(&greeting).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    stop.send_replace(Some(Instant::now() + 2 * PATIENCE));
    let ending = timeout(PATIENCE, served).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::Unread);
}
