//! HTTP/2 connections whose clients do not read, frame by frame.

use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::{ConnectionLimits, Connections, Ending, Protocol, ReceiveWindows, TowerService};

pub(super) const DEADLINE: Duration = Duration::from_secs(8);

/// Larger than the default window of a client.
const RESPONSE_BYTES: usize = 200_000;

/// The preface and settings of a client, with the initial window of each stream.
pub(super) fn hello(window: u32) -> Vec<u8> {
    let setting = [&[0, 4], window.to_be_bytes().as_slice()].concat();
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        frame(4, 0, 0, &setting).as_slice(),
    ]
    .concat()
}

/// A `GET /` request with the end of the stream.
fn get(stream: u32) -> Vec<u8> {
    frame(1, 5, stream, &[0x82, 0x84, 0x86, 0x41, 1, b'x'])
}

/// A `GET /small` request with the end of the stream.
fn get_small(stream: u32) -> Vec<u8> {
    let head = [0x82, 4, 6].into_iter().chain(*b"/small");
    let head = head.chain([0x86, 0x41, 1, b'x']);
    frame(1, 5, stream, &head.collect::<Vec<u8>>())
}

/// The frames of a server: type, flags, stream and payload.
pub(super) struct Frames {
    pub(super) client: TcpStream,
    pub(super) read: Vec<u8>,
}

impl Frames {
    /// Returns the next frame, or `None` at the end of the connection.
    pub(super) async fn next(&mut self) -> Option<(u8, u8, u32, Vec<u8>)> {
        loop {
            if let [a, b, c, kind, flags, s0, s1, s2, s3, rest @ ..] = &self.read[..] {
                let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
                if rest.len() >= length {
                    let stream = u32::from_be_bytes([*s0, *s1, *s2, *s3]);
                    let frame = (*kind, *flags, stream, rest[..length].to_vec());
                    self.read.drain(..9 + length);
                    return Some(frame);
                }
            }
            let read = timeout(DEADLINE, self.client.read_buf(&mut self.read)).await;
            if read.unwrap().unwrap_or(0) == 0 {
                return None;
            }
        }
    }
}

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [
        length.as_slice(),
        &[kind, flags],
        stream.to_be_bytes().as_slice(),
        payload,
    ]
    .concat()
}

/// Connects to a server with one connection and a response of this size. The task returns how the
/// connection ended.
async fn connect(
    limits: ConnectionLimits,
    answer: usize,
) -> (
    TcpStream,
    JoinHandle<Ending>,
    watch::Sender<Option<Instant>>,
) {
    let router = Router::new()
        .route("/small", axum::routing::get(async || "small"))
        .fallback(async move || "x".repeat(answer));
    let connections = Connections::new(
        TowerService::new(router),
        &limits,
        &ReceiveWindows::unlimited(),
    )
    .protocol(Protocol::Http2);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let (stop, stopping) = watch::channel(None);
    let served = tokio::spawn(connections.serve(stream, stopping));
    (client.unwrap(), served, stop)
}

fn limits(header_timeout: u64, body_timeout: u64) -> ConnectionLimits {
    ConnectionLimits {
        header_timeout: Duration::from_millis(header_timeout),
        body_timeout: Duration::from_millis(body_timeout),
        ..ConnectionLimits::default()
    }
}

#[tokio::test]
async fn pings_have_their_interval_and_timeout() {
    const PING: u8 = 6;
    let limits = ConnectionLimits {
        ping_interval: Duration::from_millis(100),
        ping_timeout: Duration::from_millis(300),
        ..limits(8000, 8000)
    };
    let (mut client, served, _stop) = connect(limits, 1000).await;
    let greeting = [hello(1 << 20), frame(4, 1, 0, &[])].concat();
    client.write_all(&greeting).await.unwrap();
    let read = Vec::new();
    let mut frames = Frames { client, read };
    let begun = Instant::now();
    let mut pings = 0;
    while let Some((kind, flags, _, payload)) = frames.next().await {
        if (kind, flags) == (PING, 0) {
            pings += 1;
            // The third ping gets no response.
            if pings < 3 {
                let response = frame(PING, 1, 0, &payload);
                frames.client.write_all(&response).await.unwrap();
            }
        }
    }
    assert_eq!(pings, 3);
    let took = begun.elapsed();
    let expected = Duration::from_millis(500)..Duration::from_secs(4);
    assert!(expected.contains(&took), "{took:?}");
    served.await.unwrap();
}

#[tokio::test]
async fn an_idle_connection_is_closed_although_it_had_a_request() {
    let (mut client, served, _stop) = connect(limits(400, 8000), 1000).await;
    let begun = Instant::now();
    let greeting = [hello(1 << 20), get(1)].concat();
    client.write_all(&greeting).await.unwrap();
    let mut seen = Vec::new();
    let closed = timeout(DEADLINE, client.read_to_end(&mut seen)).await;
    assert!(closed.is_ok());
    let ending = timeout(DEADLINE, served).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::Itself);
    // Not immediately, but eventually.
    assert!(begun.elapsed() > Duration::from_millis(350));
    assert!(
        seen.windows(9)
            .any(|frame| frame[3..] == [7, 0, 0, 0, 0, 0])
    );
}

#[tokio::test]
async fn an_unread_response_ends_its_connection() {
    for window in [0, 70_000] {
        let (mut client, served, _stop) = connect(limits(8000, 400), RESPONSE_BYTES).await;
        let greeting = [hello(window), get(1)].concat();
        client.write_all(&greeting).await.unwrap();
        let ending = timeout(DEADLINE, served).await.unwrap();
        assert_eq!(ending.unwrap(), Ending::Itself);
    }
}

#[tokio::test]
async fn an_unread_response_does_not_delay_the_stop() {
    let (mut client, served, stop) = connect(ConnectionLimits::default(), RESPONSE_BYTES).await;
    let greeting = [hello(0), get(1)].concat();
    client.write_all(&greeting).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    stop.send_replace(Some(Instant::now() + 2 * DEADLINE));
    let ending = timeout(DEADLINE, served).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::Unread);
}

#[tokio::test]
async fn an_unread_response_is_reset_alone_while_other_requests_arrive() {
    let (client, served, _stop) = connect(limits(8000, 600), RESPONSE_BYTES).await;
    let mut frames = Frames {
        client,
        read: Vec::new(),
    };
    // The window of each stream.
    let greeting = [hello(1000), get(1)].concat();
    frames.client.write_all(&greeting).await.unwrap();
    let begun = Instant::now();
    let (mut reset, mut answered) = (None, 0);
    for stream in (3..).step_by(2).take(30) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        frames.client.write_all(&get_small(stream)).await.unwrap();
        loop {
            match frames.next().await.expect("the connection is served") {
                (3, _, 1, reason) => {
                    // CANCEL, exactly once.
                    assert_eq!((reason, reset), (8u32.to_be_bytes().to_vec(), None));
                    reset = Some(begun.elapsed());
                }
                // The end of the small response.
                (0, flags, number, data) if number == stream => {
                    assert_eq!((flags & 1, data), (1, b"small".to_vec()));
                    answered += 1;
                    break;
                }
                _ => {}
            }
        }
    }
    assert_eq!(answered, 30);
    let reset = reset.expect("the blocked stream is reset");
    assert!(reset >= Duration::from_millis(600), "{reset:?}");
    assert!(reset < Duration::from_millis(1200), "{reset:?}");
    assert!(!served.is_finished());
}

#[tokio::test]
async fn a_large_response_arrives_completely_with_any_window() {
    for (window, answer) in [
        (65_535, RESPONSE_BYTES),
        (1 << 20, RESPONSE_BYTES),
        (20_000, 17_000),
    ] {
        let (client, _served, _stop) = connect(ConnectionLimits::default(), answer).await;
        let mut frames = Frames {
            client,
            read: Vec::new(),
        };
        let greeting = [hello(window), get(1)].concat();
        frames.client.write_all(&greeting).await.unwrap();
        let mut bytes = 0;
        while let Some((kind, flags, stream, data)) = frames.next().await {
            if (kind, stream) != (0, 1) {
                continue;
            }
            bytes += data.len();
            if flags & 1 == 1 {
                break;
            }
            if !data.is_empty() {
                let more = u32::try_from(data.len()).unwrap().to_be_bytes();
                let more = [frame(8, 0, 1, &more), frame(8, 0, 0, &more)].concat();
                frames.client.write_all(&more).await.unwrap();
            }
        }
        assert_eq!(bytes, answer);
    }
}
