//! Abuse of the metrics port.

use std::io;

use crate::frames::{END_HEADERS, END_STREAM, HEADERS, frame, hello};
use crate::http1::outcome;
use crate::scene::Scene;

type Outcomes = io::Result<Vec<String>>;

const SCRAPE: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// The number of concurrent connections, and of requests on each.
const MANY: usize = 20;
const OFTEN: usize = 10;

/// The number of requests on an HTTP/2 connection.
const STREAMS: usize = 100;

pub(crate) fn scrapes(scene: &mut Scene) -> Outcomes {
    let mut all = Vec::new();
    for _ in 0..scene.random.below(OFTEN) {
        let mut streams = scene.open_some(MANY, scene.metrics, SCRAPE)?;
        all.extend(streams.iter_mut().map(outcome));
    }
    Ok(all)
}

/// Pipelined requests on a connection, or concurrent ones without a window for the responses.
pub(crate) fn unread(scene: &mut Scene) -> Outcomes {
    let start = match scene.random.below(2) {
        0 => b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(STREAMS),
        _ => beside_each_other(),
    };
    let _streams = scene.open_some(MANY, scene.metrics, &start)?;
    scene.rest();
    Ok(Vec::new())
}

fn beside_each_other() -> Vec<u8> {
    // `:method: GET`, `:scheme: http`, `:path: /metrics`, `:authority: x`.
    let block = b"\x82\x86\x04\x08/metrics\x41\x01x";
    let numbers = (1..).step_by(2).take(STREAMS);
    let ask = numbers.flat_map(|number| frame(HEADERS, END_HEADERS | END_STREAM, number, block));
    hello(0).into_iter().chain(ask).collect()
}
