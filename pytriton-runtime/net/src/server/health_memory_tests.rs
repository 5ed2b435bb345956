//! Health requests while other requests exhaust the memory budget.

use std::time::Duration;

use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;

use crate::server::connection_memory_tests::{connect, frame, response, serve};
use crate::server::http2_head_memory_tests::{block, connection, expect_status};

const BUDGET: usize = 64 << 10;

/// The size of the heads, such as those with a token.
const HEAD_BYTES: usize = 6 << 10;

/// The time in which the server reads the bytes that were sent.
const PAUSE: Duration = Duration::from_millis(50);

#[tokio::test]
async fn http1_health_requests_with_large_heads_are_served() {
    let budget = MemoryBudget::new(BUDGET);
    let (address, _stop) = serve(&budget).await;
    let _full = budget.reserve(BUDGET).unwrap();
    let head = "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ";
    let head = [head.as_bytes(), &[b'x'; HEAD_BYTES]].concat();
    let (one, other) = head.split_at(HEAD_BYTES / 2);
    let mut client = connect(address, one).await;
    for piece in [other, b"\r\n\r\n"] {
        sleep(PAUSE).await;
        client.write_all(piece).await.unwrap();
    }
    let response = response(&mut client).await;
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

#[tokio::test]
async fn http2_health_requests_with_large_heads_are_served() {
    let budget = MemoryBudget::new(BUDGET);
    let (address, _stop) = serve(&budget).await;
    let _full = budget.reserve(BUDGET).unwrap();
    // A path that the table of headers does not keep, and one that it keeps with its buffer.
    for path in [0x04, 0x44] {
        let mut block = block(0x83, "/live", HEAD_BYTES);
        block[5] = path;
        let head = connection(&[frame(1, 4, &block)]);
        let (one, other) = head.split_at(HEAD_BYTES / 2);
        let mut client = connect(address, one).await;
        for piece in [other, &frame(0, 1, &[0; 5])] {
            sleep(PAUSE).await;
            client.write_all(piece).await.unwrap();
        }
        expect_status(&mut client, 0x88).await;
    }
}
