//! Clients that read a response steadily, but below the minimum rate.

use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::{ConnectionLimits, Connections, ReceiveWindows, TowerService};

/// Far more than the socket buffers of client and server.
const RESPONSE_BYTES: usize = 32 << 20;

/// How much the client reads at once, and the pause after it: a quarter of the minimum rate.
const STEP: usize = 64 << 10;
const STEP_PAUSE: Duration = Duration::from_millis(62);

const LIMITS: fn() -> ConnectionLimits = || ConnectionLimits {
    body_timeout: Duration::from_millis(500),
    min_body_rate: 4 << 20,
    ..ConnectionLimits::default()
};

/// At a quarter of the rate, the timeout of 500 ms extends to 667 ms. The rest allows for a busy
/// machine.
const DEADLINE: Duration = Duration::from_secs(6);

/// The memory of a response.
struct Memory(
    Vec<u8>,
    #[expect(dead_code, reason = "says when it is dropped")] Arc<()>,
);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Serves one connection. Returns the client and a handle that detects when the memory of its
/// response is released.
async fn serve() -> (TcpStream, Weak<()>, watch::Sender<Option<Instant>>) {
    let held = Arc::new(());
    let weak = Arc::downgrade(&held);
    let body = Bytes::from_owner(Memory(vec![7; RESPONSE_BYTES], held));
    let body = std::sync::Mutex::new(Some(body));
    let body = Arc::new(body);
    let router = Router::new().fallback(async move || body.lock().unwrap().take().unwrap());
    let connections = Connections::new(
        TowerService::new(router),
        &LIMITS(),
        &ReceiveWindows::unlimited(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let (stop, stopping) = watch::channel(None);
    tokio::spawn(connections.serve(stream, stopping));
    (client.unwrap(), weak, stop)
}

fn frame(kind: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let flags = if kind == 1 { 5 } else { 0 };
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length, &[kind, flags][..], &stream.to_be_bytes(), payload].concat()
}

/// Enlarges the window by as much as the client reads.
fn window_update() -> Vec<u8> {
    let step = u32::try_from(STEP).unwrap().to_be_bytes();
    [frame(8, 1, &step), frame(8, 0, &step)].concat()
}

async fn time_until_released(http2: bool) -> Duration {
    let (mut client, held, _stop) = serve().await;
    let request = match http2 {
        true => [
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
            frame(4, 0, &[]),
            frame(1, 1, &[0x82, 0x84, 0x86, 0x41, 1, b'x']),
        ]
        .concat(),
        false => b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
    };
    client.write_all(&request).await.unwrap();
    let begun = Instant::now();
    let mut bytes = vec![0; STEP];
    while held.strong_count() > 0 {
        assert!(begun.elapsed() < DEADLINE, "HTTP/2: {http2}");
        sleep(STEP_PAUSE).await;
        if http2 {
            // The server may have closed the connection.
            let _ = client.write_all(&window_update()).await;
        }
        let read = timeout(STEP_PAUSE, client.read(&mut bytes)).await;
        if matches!(read, Ok(Ok(0) | Err(_))) {
            sleep(STEP_PAUSE).await;
        }
    }
    begun.elapsed()
}

#[tokio::test]
async fn a_response_that_is_read_too_slowly_is_dropped_over_either_protocol() {
    for http2 in [false, true] {
        let elapsed = time_until_released(http2).await;
        assert!(elapsed >= Duration::from_millis(400), "{elapsed:?}");
    }
}
