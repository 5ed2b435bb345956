//! Connections that accept no further requests because of the memory that they keep.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use crate::server::http2_tests::{DEADLINE, Frames, frame, hello};
use crate::{ConnectionLimits, Connections, Ending, ReceiveWindows, TowerService};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// The last stream of the first of two `GOAWAY` frames.
const ANY_STREAM: [u8; 4] = [0x7f, 0xff, 0xff, 0xff];

/// The memory budget. A connection may keep buffers of 512 KiB.
const BUDGET: usize = 64 << 20;

/// A `POST` request with a path that is added to the table of headers, and a body of 24 KiB.
fn request(stream: u32, path: &str) -> Vec<u8> {
    let mut block = vec![0x83, 0x86, 0x01, 1, b'x', 0x44];
    block.push(u8::try_from(path.len()).unwrap());
    block.extend(path.bytes());
    [
        frame(HEADERS, END_HEADERS, stream, &block),
        frame(DATA, 0, stream, &[7; 12 << 10]),
        frame(DATA, END_STREAM, stream, &[7; 12 << 10]),
    ]
    .concat()
}

async fn pong(frames: &mut Frames, payload: &[u8]) {
    let pong = frame(PING, ACK, 0, payload);
    frames.client.write_all(&pong).await.unwrap();
}

#[tokio::test]
async fn a_client_with_many_paths_gets_all_responses_and_another_connection() {
    let release = Arc::new(Notify::new());
    let released = Arc::clone(&release);
    let held = async move |_: Bytes| {
        released.notified().await;
        "held"
    };
    let router = Router::new()
        .route("/held", post(held))
        .fallback(async |_: Bytes| "fine");
    let windows = ReceiveWindows::new(&MemoryBudget::new(BUDGET));
    let service = TowerService::new(router);
    let connections = Connections::new(service, &ConnectionLimits::default(), &windows);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let (_stop, stopping) = watch::channel(None);
    let served = tokio::spawn(connections.serve(stream, stopping));
    let mut frames = Frames {
        client: client.unwrap(),
        read: Vec::new(),
    };
    let first = [hello(1 << 20), request(1, "/held")].concat();
    frames.client.write_all(&first).await.unwrap();

    let (mut requests, mut responses, mut is_last) = (0, 0, false);
    while !is_last {
        requests += 1;
        let (stream, path) = (2 * requests + 1, format!("/items/{requests}"));
        let request = request(stream, &path);
        frames.client.write_all(&request).await.unwrap();
        while responses < requests {
            match frames.next().await.expect("the connection is served") {
                (DATA, END_STREAM, number, body) => {
                    assert_eq!((number, body), (stream, b"fine".to_vec()));
                    responses += 1;
                }
                (PING, 0, _, payload) => pong(&mut frames, &payload).await,
                (GOAWAY, _, _, payload) => is_last |= payload[..4] == ANY_STREAM,
                _ => {}
            }
        }
    }
    // Each path keeps 48 KiB and some buffers for decoding.
    assert!((8..=12).contains(&requests), "{requests}");

    // The open stream gets its response, and the connection ends.
    sleep(DEADLINE / 20).await;
    release.notify_one();
    let mut held = None;
    while let Some((kind, _, stream, payload)) = frames.next().await {
        match (kind, stream) {
            (DATA, 1) if !payload.is_empty() => held = Some(payload),
            (PING, _) => pong(&mut frames, &payload).await,
            (GOAWAY, _) => assert_eq!(payload[4..8], [0; 4]),
            _ => {}
        }
    }
    assert_eq!(held, Some(b"held".to_vec()));
    let ending = timeout(DEADLINE, served).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::Itself);
}
