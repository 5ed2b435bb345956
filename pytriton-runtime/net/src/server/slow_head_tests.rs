//! HTTP/1.1 heads that arrive in pieces.

use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, interval, timeout};

use crate::{ConnectionLimits, Connections, Ending, ReceiveWindows, TowerService};

const DEADLINE: Duration = Duration::from_secs(8);

/// The timeout of a head.
const HEAD: Duration = Duration::from_millis(400);

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// Sends one byte at intervals. Returns how long the connection stayed open, and the response.
async fn drip(first: &[u8]) -> (Duration, String) {
    let router = Router::new().fallback(async || "fine");
    let limits = ConnectionLimits {
        header_timeout: HEAD,
        ..ConnectionLimits::default()
    };
    let connections = Connections::new(
        TowerService::new(router),
        &limits,
        &ReceiveWindows::unlimited(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let (_stop, stopping) = watch::channel(None);
    let served = tokio::spawn(connections.serve(stream, stopping));
    let begun = Instant::now();
    let (mut reader, mut writer) = client.unwrap().into_split();
    let drips = async {
        writer.write_all(first).await.unwrap();
        writer.write_all(b"GET / HTTP/1.1\r\nX: ").await.unwrap();
        let mut pause = interval(HEAD / 20);
        // Until the server closes the connection.
        while writer.write_all(b"x").await.is_ok() {
            pause.tick().await;
        }
    };
    let mut answer = Vec::new();
    let read = async {
        // Bytes that arrive too late are refused.
        let _ = reader.read_to_end(&mut answer).await;
        begun.elapsed()
    };
    let ((), took) = timeout(DEADLINE, async { tokio::join!(drips, read) })
        .await
        .unwrap();
    let ending = timeout(DEADLINE, served).await.unwrap().unwrap();
    assert_eq!(ending, Ending::Itself);
    (took, String::from_utf8(answer).unwrap())
}

#[tokio::test]
async fn a_head_has_one_timeout_however_often_a_byte_arrives() {
    for (first, answers) in [(&b""[..], 0), (REQUEST, 1), (&REQUEST.repeat(3), 3)] {
        let (took, answer) = drip(first).await;
        assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), answers);
        assert_eq!(answer.matches("HTTP/1.1").count(), answers, "{answer}");
        assert!(took > HEAD - HEAD / 10, "{answers} {took:?}");
        assert!(took < DEADLINE / 2, "{answers} {took:?}");
    }
}
