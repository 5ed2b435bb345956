//! The memory of many requests. A separate binary, because it measures the process.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

mod common;

use std::fs;
use std::time::{Duration, Instant};

use common::TestCore;

const MIB: usize = 1 << 20;

/// The growth that ten thousand requests may cause: less than 200 bytes for each.
const MAX_GROWTH_BYTES: usize = 2 * MIB;

/// Returns the memory of the process in bytes.
fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with("RssAnon:")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

/// Sends requests of each kind: complete, failed, refused, cancelled, streamed and cut off.
async fn round(test: &TestCore, requests: usize) {
    let core = &test.core;
    let row = vec![1.0; 1024];
    for index in 0..requests {
        let response = core.infer("Echo", None, test.request(&row)).unwrap();
        match index % 4 {
            0 => drop(response),
            _ => drop(response.only().await.unwrap()),
        }
        let failed = core.infer("Fail", None, test.request(&[1.0])).unwrap();
        failed.only().await.unwrap_err();
        core.infer("Unknown", None, test.request(&[1.0]))
            .unwrap_err();
        let mut wrong = test.request(&[1.0]);
        wrong.inputs[0].shape = vec![1, 2];
        core.infer("Echo", None, wrong).unwrap_err();
        let mut streamed = core.infer("Stream", None, test.request(&[3.0])).unwrap();
        streamed.next().await.unwrap();
        if index % 2 == 0 {
            while streamed.next().await.is_some() {}
        }
    }
    let deadline = Instant::now() + Duration::from_secs(10);
    while core.requests() > 0 {
        assert!(Instant::now() < deadline, "{} requests", core.requests());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn memory_does_not_grow_with_the_number_of_requests() {
    let test = TestCore::start(&["Echo", "Fail", "Stream"], 64 * MIB, 10);
    round(&test, 1000).await;
    let before = resident();
    // Three requests of each round are accepted.
    round(&test, 3400).await;
    let grown = resident().saturating_sub(before);
    assert!(grown < MAX_GROWTH_BYTES, "{grown} bytes");
    assert_eq!(test.budget.reserved(), 0);
}
