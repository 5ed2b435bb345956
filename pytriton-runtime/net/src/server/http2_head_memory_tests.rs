use std::io::ErrorKind;
use std::time::Duration;

use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::server::connection_memory_tests::{DEADLINE, WINDOW, connect, frame, serve, until};
use crate::server::connection_state::ConnectionState;
use crate::server::head_budget::{HeadBudget, MIN_RESERVE_BYTES};
use crate::server::http2_head_memory::Http2HeadMemory;
use crate::server::http2_preface::PREFACE;
use crate::server::port::HEADER_BYTES;

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The size of a frame that is counted.
const FRAME: usize = 10_000;

/// A header block of `GET` or `POST` with a header that fills it to a size.
pub(super) fn block(method: u8, path: &str, size: usize) -> Vec<u8> {
    let path_bytes = u8::try_from(path.len()).unwrap();
    let mut block = vec![method, 0x86, 0x01, 1, b'x', 0x04, path_bytes];
    block.extend(path.bytes());
    if size > block.len() {
        // The length in three bytes: 127, and the rest in seven bits each.
        let rest = size - block.len() - 6 - 127;
        let [low, high] = [rest % 128 + 128, rest / 128].map(|byte| u8::try_from(byte).unwrap());
        block.extend([0, 1, b'h', 127, low, high]);
        block.resize(size, b'v');
    }
    block
}

/// The beginning of a connection with these frames.
pub(super) fn connection(frames: &[Vec<u8>]) -> Vec<u8> {
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    [&PREFACE[..], &settings, &frames.concat()].concat()
}

/// Waits for a response whose head begins with this byte.
pub(super) async fn expect_status(client: &mut TcpStream, status: u8) {
    let mut bytes = Vec::new();
    let found = async {
        while !bytes
            .windows(10)
            .any(|frame| frame[3] == HEADERS && frame[9] == status)
        {
            assert!(client.read_buf(&mut bytes).await.unwrap() > 0, "{bytes:?}");
        }
    };
    timeout(DEADLINE, found).await.unwrap();
}

async fn expect_end(client: &mut TcpStream) {
    // A reset is an end, too.
    let _ = timeout(DEADLINE, client.read_to_end(&mut Vec::new()))
        .await
        .unwrap();
}

#[tokio::test]
async fn half_frames_of_many_connections_stay_within_the_budget() {
    let budget = MemoryBudget::new(64 << 10);
    let (address, _stop) = serve(&budget).await;
    let ends = END_STREAM | END_HEADERS;
    let complete = connection(&[frame(HEADERS, ends, &block(0x82, "/else", FRAME))]);
    let (half, rest) = complete.split_at(5000);
    let mut clients = Vec::new();
    for number in 1..=6 {
        clients.push(connect(address, half).await);
        until(&budget, |reserved| reserved == number * FRAME).await;
    }
    // The next ones use the reserve.
    for _ in 0..MIN_RESERVE_BYTES / FRAME {
        clients.push(connect(address, half).await);
    }
    sleep(Duration::from_millis(100)).await;
    // Another one exceeds it, and is closed when more of its head arrives.
    let mut refused = connect(address, half).await;
    sleep(Duration::from_millis(100)).await;
    refused.write_all(b"more").await.unwrap();
    expect_end(&mut refused).await;
    // Small heads are served, in pieces too, and so is the rest of a head.
    let small = connection(&[frame(HEADERS, ends, &block(0x82, "/live", 0))]);
    let mut client = connect(address, &small[..50]).await;
    sleep(Duration::from_millis(50)).await;
    client.write_all(&small[50..]).await.unwrap();
    expect_status(&mut client, 0x88).await;
    let mut first = clients.swap_remove(0);
    first.write_all(rest).await.unwrap();
    expect_status(&mut first, 0x88).await;
    until(&budget, |reserved| reserved == 5 * FRAME).await;
    drop(clients);
    until(&budget, |reserved| reserved == 0).await;
}

#[tokio::test]
async fn decoded_headers_of_an_unfinished_head_are_reserved() {
    let budget = MemoryBudget::new(64 << 10);
    let (address, _stop) = serve(&budget).await;
    let fields = block(0x82, "/else", 150);
    let half = connection(&[frame(HEADERS, END_STREAM, &fields)]);
    let bytes = fields.len() * (HEADER_BYTES + 2);
    let mut clients = Vec::new();
    for number in 1..=2 {
        clients.push(connect(address, &half).await);
        until(&budget, |reserved| reserved == number * bytes).await;
    }
    // The next ones use the reserve, and another one exceeds it.
    for _ in 0..MIN_RESERVE_BYTES / bytes {
        clients.push(connect(address, &half).await);
    }
    sleep(Duration::from_millis(100)).await;
    expect_end(&mut connect(address, &half).await).await;
    let mut first = clients.swap_remove(0);
    let end = frame(CONTINUATION, END_HEADERS, &[]);
    first.write_all(&end).await.unwrap();
    expect_status(&mut first, 0x88).await;
    until(&budget, |reserved| reserved == bytes).await;
}

#[tokio::test]
async fn unread_trailers_are_reserved() {
    // Without a share of the windows, the unread body is also reserved.
    let budget = MemoryBudget::new(128 << 10);
    let (address, _stop) = serve(&budget).await;
    // A header in the table, and references to it.
    let mut trailers = vec![0x40, 1, b'a', 0];
    trailers.resize(200, 0xbe);
    let mut frames = [
        frame(HEADERS, END_HEADERS, &block(0x83, "/", 0)),
        frame(HEADERS, END_HEADERS | END_STREAM, &trailers),
    ];
    // The first bit of the stream has no meaning.
    frames[1][5] |= 0x80;
    let request = connection(&frames);
    let first = connect(address, &request).await;
    until(&budget, |reserved| {
        reserved == WINDOW + trailers.len() * HEADER_BYTES
    })
    .await;
    expect_end(&mut connect(address, &request).await).await;
    drop(first);
    until(&budget, |reserved| reserved == 0).await;
}

/// A frame of another stream.
fn on_stream(stream: u32, mut frame: Vec<u8>) -> Vec<u8> {
    frame[5..9].copy_from_slice(&stream.to_be_bytes());
    frame
}

#[tokio::test]
async fn trailers_are_reserved_until_their_stream_ends() {
    let budget = MemoryBudget::new(1 << 20);
    let (address, _stop) = serve(&budget).await;
    let mut trailers = vec![0x40, 1, b'a', 0];
    trailers.resize(200, 0xbe);
    let bytes = trailers.len() * HEADER_BYTES;
    let request = |stream, path| {
        [
            on_stream(stream, frame(HEADERS, END_HEADERS, &block(0x83, path, 0))),
            on_stream(stream, frame(HEADERS, END_HEADERS | END_STREAM, &trailers)),
        ]
        .concat()
    };
    // Some clients begin with the second stream.
    for first in [1, 3] {
        // The body of the first request is not read, and those of the others are dropped.
        let mut client = connect(address, &connection(&[request(first, "/")])).await;
        until(&budget, |reserved| reserved == WINDOW + bytes).await;
        for number in 1..20 {
            let request = request(first + 2 * number, "/else");
            client.write_all(&request).await.unwrap();
            expect_status(&mut client, 0x88).await;
        }
        until(&budget, |reserved| reserved == WINDOW + bytes).await;
        drop(client);
        until(&budget, |reserved| reserved == 0).await;
    }
}

#[test]
fn frames_are_recognised_in_pieces_of_any_size() {
    let ends = END_STREAM | END_HEADERS;
    let frames = [
        frame(0, 0, &[7; 9000]),
        frame(HEADERS, ends, &[1; 5000]),
        frame(HEADERS, END_STREAM, &[1; 5000]),
        frame(CONTINUATION, 0, &[1; 5000]),
        frame(CONTINUATION, END_HEADERS, &[1; 5000]),
        frame(4, 0, &[1; 5000]),
    ];
    let bytes = connection(&frames);
    // The second head is that of trailers, as it has the same stream.
    let list_bytes = 320;
    let decoded = 10 * HEADER_BYTES;
    for piece in [1, 7, 1000, bytes.len()] {
        let budget = MemoryBudget::new(1 << 20);
        let state = ConnectionState::new();
        let mut memory = Http2HeadMemory::new(&HeadBudget::without_reserve(&budget), list_bytes);
        for piece in bytes.chunks(piece) {
            memory.add(piece, &state).unwrap();
        }
        assert_eq!(budget.reserved(), 3 * decoded, "{piece}");
        if piece == 1 {
            assert_eq!(budget.peak(), 4 * decoded + 2 * 15_000);
        }
        // An unfinished head is refused at once if the budget is exhausted.
        let _rest = budget.reserve((1 << 20) - budget.reserved()).unwrap();
        let refused = memory.add(&frame(HEADERS, 0, &[1; 4100]), &state);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::OutOfMemory);
    }
}
