//! Clients with large responses that read them slowly, do not read them, or disconnect before they
//! arrive.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::bodies::{grpc_flow, grpc_identity};
use crate::frames::{DATA, WINDOW_UPDATE, call, frame, hello};
use crate::grpc::infer;
use crate::http1::{LARGE_RESPONSE, identity, request};
use crate::scene::Scene;

type Outcomes = io::Result<Vec<String>>;

const STREAM: &str = "/inference.GRPCInferenceService/ModelStreamInfer";

/// The number of bytes that are read at a time.
const SIP: usize = 4 << 10;

/// The time limit for reading them.
const MOMENT: Duration = Duration::from_millis(1);

/// The window that a client grants on each stream.
const WINDOW_BYTES: u32 = 1 << 10;

/// The request size on a gRPC stream, within the initial window.
const PIECE: usize = 60_000;

/// More responses than any client waits for.
const ENDLESS: u32 = 1_000_000;

/// The maximum size of each response.
const ANSWER: usize = 100_000;

/// The maximum time that a response holds back others, in milliseconds.
const MAX_DELAY_MS: usize = 4000;

/// The number of concurrent requests of one client.
const STREAMS: usize = 20;

/// Returns a request for the given number of bytes after the given number of milliseconds.
fn ordered(milliseconds: usize, bytes: usize) -> Vec<u8> {
    let numbers = [("milliseconds", milliseconds), ("bytes", bytes)];
    let inputs = numbers.map(|(name, number)| {
        format!(r#"{{"name":"{name}","datatype":"UINT32","shape":[1,1],"data":[{number}]}}"#)
    });
    let inputs = inputs.join(",");
    let body = format!(r#"{{"inputs":[{inputs}],"parameters":{{"binary_data_output":true}}}}"#);
    request("Ordered", "", body.as_bytes())
}

/// Reads a few bytes, and returns whether there may be more.
fn sip(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; SIP]) {
        Ok(read) => read > 0,
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

pub(crate) fn slow(scene: &mut Scene) -> Outcomes {
    let request = identity(scene.random.below(LARGE_RESPONSE));
    let streams = scene.open_some(5, scene.http, &request)?;
    for stream in &streams {
        stream.set_read_timeout(Some(MOMENT))?;
    }
    scene.slowly(streams, sip);
    Ok(Vec::new())
}

/// Leaves the data in the buffers of the connection, and grants a little more window.
pub(crate) fn grpc_slow(scene: &mut Scene) -> Outcomes {
    let numbers = || (1..).step_by(2).take(STREAMS);
    let message = grpc_identity(PIECE / STREAMS);
    let mut start = hello(WINDOW_BYTES);
    let mut updates = Vec::new();
    for number in numbers() {
        start.extend(infer(number, None, &message));
        updates.extend(frame(WINDOW_UPDATE, 0, number, &WINDOW_BYTES.to_be_bytes()));
        updates.extend(frame(WINDOW_UPDATE, 0, 0, &WINDOW_BYTES.to_be_bytes()));
    }
    let streams = scene.open_some(8, scene.grpc, &start)?;
    scene.drip(streams, &updates);
    Ok(Vec::new())
}

pub(crate) fn events(scene: &mut Scene) -> Outcomes {
    let bytes = scene.random.below(ANSWER);
    let body = format!(r#"{{"count":{ENDLESS},"bytes":{bytes}}}"#);
    let head = format!(
        "POST /v2/models/Flow/generate_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let _streams = scene.open_some(STREAMS, scene.http, (head + &body).as_bytes())?;
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn grpc_streams(scene: &mut Scene) -> Outcomes {
    let window = [0, WINDOW_BYTES, 1 << 30][scene.random.below(3)];
    let mut start = hello(window);
    for number in (1..).step_by(2).take(STREAMS) {
        let bytes = u32::try_from(scene.random.below(ANSWER)).unwrap_or_default();
        start.extend(call(number, STREAM, None));
        start.extend(frame(DATA, 0, number, &grpc_flow(ENDLESS, bytes)));
    }
    let _streams = scene.open_some(3, scene.grpc, &start)?;
    scene.rest();
    Ok(Vec::new())
}

/// A slow request, and others behind it whose clients disconnect earlier.
pub(crate) fn held_back(scene: &mut Scene) -> Outcomes {
    let mut first = scene.open(scene.http)?;
    first.write_all(&ordered(scene.random.below(MAX_DELAY_MS), 1))?;
    let mut behind = Vec::new();
    for _ in 0..scene.random.below(60) {
        let bytes = scene.random.below(LARGE_RESPONSE);
        let mut stream = scene.open(scene.http)?;
        stream.write_all(&ordered(0, bytes))?;
        behind.push(stream);
        if scene.random.below(4) == 0 {
            behind.swap_remove(scene.random.below(behind.len()));
        }
    }
    scene.rest();
    Ok(Vec::new())
}
