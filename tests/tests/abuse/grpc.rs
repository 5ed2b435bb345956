//! Abuse over gRPC and HTTP/2.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::bodies::{BOMB, GRPC_INPUTS, LIVE_BOMB, SETTINGS_BOMB, grpc_identity};
use crate::frames::{
    CONTINUATION, DATA, Frame, HEADERS, PING, RESET, SETTINGS, WINDOW_UPDATE, body, call, frame,
    header_block, hello, prefix, read_answer, read_frame,
};
use crate::scene::{Scene, write_what_is_taken};

type Outcomes = io::Result<Vec<String>>;

const INFER: &str = "/inference.GRPCInferenceService/ModelInfer";
const LIVE: &str = "/inference.GRPCInferenceService/ServerLive";
const TRACE: &str = "/inference.GRPCInferenceService/TraceSetting";

/// The number of calls of `LIVE` on a connection.
const LIVE_CALLS: u32 = 8;

/// The initial flow-control window of a client per stream.
const WINDOW: u32 = 1 << 20;

/// The time limit for a server's settings.
const WORDS: Duration = Duration::from_millis(100);

/// The time limit for everything else.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The size of a frame that every server accepts.
const PIECE: usize = 16_000;

/// The size of a message without its tensor.
const MORE: usize = 100;

/// The numbers of streams and frames of a flood.
const STREAMS: u32 = 2000;
const FRAMES: usize = 5000;

/// Returns all frames of a call with one message.
pub(crate) fn infer(stream: u32, encoding: Option<&str>, message: &[u8]) -> Vec<u8> {
    [call(stream, INFER, encoding), body(stream, message)].concat()
}

/// Waits for the end of the first call.
fn outcome(stream: &mut TcpStream) -> String {
    outcome_of(stream, 1)
}

/// Waits for the end of a call.
fn outcome_of(stream: &mut TcpStream, call: u32) -> String {
    match read_answer(stream, call) {
        Ok(()) => "an answer".to_owned(),
        Err(error) => error.kind().to_string(),
    }
}

pub(crate) fn slow_bodies(scene: &mut Scene) -> Outcomes {
    let start = [
        hello(WINDOW),
        call(1, INFER, None),
        frame(DATA, 0, 1, &prefix(0, 60_000_000)),
        frame(DATA, 0, 1, &[7; 1000]),
    ];
    let streams = scene.open_some(60, scene.grpc, &start.concat())?;
    scene.drip(streams, &frame(DATA, 0, 1, &[7]));
    Ok(Vec::new())
}

pub(crate) fn bombs(scene: &mut Scene) -> Outcomes {
    let bomb = [prefix(1, BOMB.len()), BOMB.clone()].concat();
    let start = [hello(WINDOW), infer(1, Some("gzip"), &bomb)].concat();
    let mut streams = scene.open_some(3, scene.grpc, &start)?;
    Ok(streams.iter_mut().map(outcome).collect())
}

/// Calls of methods with small limits, several on each connection.
pub(crate) fn method_bombs(scene: &mut Scene) -> Outcomes {
    let mut start = hello(WINDOW);
    let last = 2 * LIVE_CALLS + 1;
    let calls = (1..last)
        .step_by(2)
        .map(|stream| (stream, LIVE, &*LIVE_BOMB));
    for (stream, path, message) in calls.chain([(last, TRACE, &*SETTINGS_BOMB)]) {
        start.extend(call(stream, path, Some("gzip")));
        start.extend(body(stream, message));
    }
    let mut streams = scene.open_some(3, scene.grpc, &start)?;
    let outcomes = streams.iter_mut().map(|stream| outcome_of(stream, last));
    Ok(outcomes.collect())
}

/// Fills the send window, but leaves no window for the responses.
pub(crate) fn unread(scene: &mut Scene) -> Outcomes {
    let mut streams = scene.open_some(8, scene.grpc, &hello(0))?;
    for stream in &mut streams {
        let window = Window::first(stream)?;
        let mut left = window.connection;
        for number in (1..200).step_by(2) {
            let bytes = scene.random.below(window.stream.min(left));
            let message = grpc_identity(bytes.saturating_sub(MORE));
            if message.len() > left {
                break;
            }
            write_what_is_taken(stream, &infer(number, None, &message))?;
            left -= message.len();
        }
    }
    scene.rest();
    Ok(Vec::new())
}

/// The flow-control window that the server grants.
struct Window {
    connection: usize,
    stream: usize,
}

impl Window {
    /// Reads the initial window from the server's settings.
    fn first(stream: &mut TcpStream) -> io::Result<Self> {
        let mut window = Self {
            connection: 65_535,
            stream: 65_535,
        };
        stream.set_read_timeout(Some(WORDS))?;
        while let Ok(frame) = read_frame(stream) {
            window.learn(&frame);
        }
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        // Settings apply once they are acknowledged.
        stream.write_all(&frame(SETTINGS, 1, 0, &[]))?;
        Ok(window)
    }

    fn learn(&mut self, frame: &Frame) {
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes) as usize;
        match (frame.kind, frame.stream) {
            (WINDOW_UPDATE, 0) => self.connection += number(&frame.payload),
            (WINDOW_UPDATE, _) => self.stream += number(&frame.payload),
            (SETTINGS, _) => {
                let mut settings = frame.payload.chunks_exact(6);
                let stream = settings.rfind(|setting| setting[..2] == [0, 4]);
                self.stream = stream.map_or(self.stream, |setting| number(&setting[2..]));
            }
            _ => {}
        }
    }

    fn left(&self) -> usize {
        self.connection.min(self.stream)
    }
}

/// Larger than the initial window.
pub(crate) fn inputs(scene: &mut Scene) -> Outcomes {
    let mut stream = scene.open(scene.grpc)?;
    stream.write_all(&[hello(WINDOW), call(1, INFER, None)].concat())?;
    let mut window = Window::first(&mut stream)?;
    let mut rest = GRPC_INPUTS.as_slice();
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.len().min(window.left()).min(PIECE));
        stream.write_all(&frame(DATA, u8::from(later.is_empty()), 1, piece))?;
        window.connection -= piece.len();
        window.stream -= piece.len();
        rest = later;
        while window.left() == 0 && !rest.is_empty() {
            window.learn(&read_frame(&mut stream)?);
        }
    }
    Ok(vec![outcome(&mut stream)])
}

pub(crate) fn resets(scene: &mut Scene) -> Outcomes {
    let mut flood = hello(WINDOW);
    for number in 0..STREAMS {
        let stream = 2 * number + 1;
        flood.extend(call(stream, INFER, None));
        flood.extend(frame(RESET, 0, stream, &8_u32.to_be_bytes()));
    }
    let _streams = scene.open_some(3, scene.grpc, &flood)?;
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn pings(scene: &mut Scene) -> Outcomes {
    let kind = [(PING, [0; 8].as_slice()), (SETTINGS, &[])][scene.random.below(2)];
    let flood = [hello(WINDOW), frame(kind.0, 0, 0, kind.1).repeat(FRAMES)].concat();
    let _streams = scene.open_some(10, scene.grpc, &flood)?;
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn headers(scene: &mut Scene) -> Outcomes {
    let more = [&[0, 1, b'x', 100], [b'x'; 100].as_slice()]
        .concat()
        .repeat(100);
    let flood = [
        hello(WINDOW),
        frame(HEADERS, 0, 1, &header_block(INFER, None)),
        frame(CONTINUATION, 0, 1, &more).repeat(500),
    ];
    let _streams = scene.open_some(3, scene.grpc, &flood.concat())?;
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn idle(scene: &mut Scene) -> Outcomes {
    let start = [hello(WINDOW), infer(1, None, &grpc_identity(100))].concat();
    let mut streams = scene.open_some(60, scene.grpc, &start)?;
    let outcomes = streams.iter_mut().map(outcome).collect();
    scene.rest();
    Ok(outcomes)
}

pub(crate) fn leave(scene: &mut Scene) -> Outcomes {
    let start = [hello(WINDOW), infer(1, None, &grpc_identity(20_000))].concat();
    for _ in 0..scene.random.below(60) {
        let mut stream = scene.open(scene.grpc)?;
        let sent = start.len() - scene.random.below(2) * scene.random.below(start.len());
        stream.write_all(&start[..sent])?;
    }
    Ok(Vec::new())
}
