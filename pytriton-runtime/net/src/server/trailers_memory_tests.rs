use std::sync::Arc;

use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::AsyncWriteExt;

use crate::server::connection_memory_tests::{connect, serve, until};
use crate::server::http2_tests::{Frames, frame, hello};
use crate::server::port::HEADER_BYTES;

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The size of the trailers of each request, and their memory.
const TRAILERS: usize = 1000;
const TRAILERS_BYTES: usize = TRAILERS * HEADER_BYTES;

/// The receive window of a connection.
const WINDOW_BYTES: usize = 512 << 10;

/// The memory budget. A connection may keep trailers of 512 KiB.
const BUDGET: usize = 64 << 20;

/// A `POST` request with trailers. `/` never ends.
fn request(stream: u32, path: &str) -> Vec<u8> {
    let mut head = vec![0x83, 0x86, 0x01, 1, b'x', 0x04];
    head.push(u8::try_from(path.len()).unwrap());
    head.extend(path.bytes());
    // A header in the table, and references to it.
    let mut trailers = vec![0x40, 1, b'a', 0];
    trailers.resize(TRAILERS, 0xbe);
    [
        frame(HEADERS, END_HEADERS, stream, &head),
        frame(HEADERS, END_HEADERS | END_STREAM, stream, &trailers),
    ]
    .concat()
}

/// A head that h2 refuses, because it has no path.
fn refused(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &[0x83])
}

/// Waits for the response to a request, or the reset of its stream.
async fn ended(frames: &mut Frames, stream: u32) {
    loop {
        match frames.next().await.expect("the connection is served") {
            (HEADERS | RST_STREAM, _, number, _) if number == stream => return,
            _ => {}
        }
    }
}

async fn client(budget: &Arc<MemoryBudget>) -> (Frames, impl Sized) {
    let (address, stop) = serve(budget).await;
    let client = connect(address, &hello(1 << 20)).await;
    let read = Vec::new();
    (Frames { client, read }, stop)
}

#[tokio::test]
async fn trailers_are_released_although_a_stream_is_omitted_or_a_head_refused() {
    for omitted in [true, false] {
        let budget = MemoryBudget::new(BUDGET);
        let (mut frames, _stop) = client(&budget).await;
        // This stream remains open.
        frames.client.write_all(&request(1, "/")).await.unwrap();
        until(&budget, |bytes| bytes >= WINDOW_BYTES + TRAILERS_BYTES).await;
        let open = budget.reserved();
        if !omitted {
            frames.client.write_all(&refused(3)).await.unwrap();
            ended(&mut frames, 3).await;
        }
        for stream in (5..).step_by(2).take(50) {
            let request = request(stream, "/else");
            frames.client.write_all(&request).await.unwrap();
            ended(&mut frames, stream).await;
        }
        // The table of headers may have grown.
        until(&budget, |bytes| bytes < open + TRAILERS_BYTES).await;
    }
}

#[tokio::test]
async fn trailers_of_unknown_streams_are_released_when_no_stream_is_open() {
    let budget = MemoryBudget::new(BUDGET);
    let (mut frames, _stop) = client(&budget).await;
    // The receive window of the connection.
    until(&budget, |bytes| bytes > 0).await;
    let idle = budget.reserved();
    for stream in (1..).step_by(4).take(50) {
        // Both arrive at once, so that the number of the second stream is not known.
        let both = [refused(stream), request(stream + 2, "/else")].concat();
        frames.client.write_all(&both).await.unwrap();
        ended(&mut frames, stream + 2).await;
    }
    frames.client.write_all(&refused(201)).await.unwrap();
    until(&budget, |bytes| bytes < idle + TRAILERS_BYTES).await;
}

#[tokio::test]
async fn a_connection_that_keeps_trailers_is_retired_and_later_closed() {
    let budget = MemoryBudget::new(BUDGET);
    let (mut frames, _stop) = client(&budget).await;
    frames.client.write_all(&request(1, "/")).await.unwrap();
    until(&budget, |bytes| bytes >= WINDOW_BYTES + TRAILERS_BYTES).await;
    let open = budget.reserved();
    let (mut rounds, mut retired_after) = (0, None);
    'served: for stream in (3..).step_by(4).take(50) {
        let both = [refused(stream), request(stream + 2, "/else")].concat();
        // The connection may have been closed.
        let _ = frames.client.write_all(&both).await;
        rounds += 1;
        loop {
            match frames.next().await {
                None => break 'served,
                Some((GOAWAY, ..)) => retired_after = retired_after.or(Some(rounds)),
                Some((HEADERS, _, number, _)) if number == stream + 2 => break,
                _ => {}
            }
        }
        assert!(budget.reserved() <= open + (1 << 20));
    }
    // Each round keeps 188 KiB, and so does the open stream.
    assert!(matches!(retired_after, Some(3 | 4)), "{retired_after:?}");
    assert_eq!(rounds, 6);
    until(&budget, |bytes| bytes == 0).await;
}
