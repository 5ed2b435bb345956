//! HTTP/2, gRPC and protobuf at the byte level, because libraries do not allow the misbehaviour of
//! these tests.

use std::io::{self, ErrorKind, Read};

/// Frame types.
pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

/// Frame flags.
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// The largest payload that every server accepts.
const PAYLOAD: usize = 16 << 10;

/// Returns a frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// Returns the client preface with the initial window of each stream.
pub(crate) fn hello(window: u32) -> Vec<u8> {
    let setting = [&[0, 4], window.to_be_bytes().as_slice()].concat();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    [preface.as_slice(), &frame(SETTINGS, 0, 0, &setting)].concat()
}

/// Returns the headers of a call, compressed or not.
pub(crate) fn call(stream: u32, path: &str, encoding: Option<&str>) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &header_block(path, encoding))
}

/// Returns the encoded header block of a call.
pub(crate) fn header_block(path: &str, encoding: Option<&str>) -> Vec<u8> {
    // `:method: POST`, `:scheme: http`; names are indices into the static table, or literals after
    // a zero.
    let mut block = vec![0x83, 0x86];
    let mut field = |name: &[u8], value: &str| {
        block.extend_from_slice(name);
        block.push(u8::try_from(value.len()).unwrap_or(0));
        block.extend_from_slice(value.as_bytes());
    };
    field(&[0x01], "x");
    field(&[0x04], path);
    field(&[0x0f, 0x10], "application/grpc");
    field(b"\x00\x02te", "trailers");
    if let Some(encoding) = encoding {
        field(b"\x00\x0dgrpc-encoding", encoding);
    }
    block
}

/// Returns the frames of a body, with the end of the stream.
pub(crate) fn body(stream: u32, bytes: &[u8]) -> Vec<u8> {
    let mut frames = Vec::with_capacity(bytes.len() + 64);
    for payload in bytes.chunks(PAYLOAD) {
        frames.extend(frame(DATA, 0, stream, payload));
    }
    frames.extend(frame(DATA, END_STREAM, stream, &[]));
    frames
}

/// Returns a gRPC message.
pub(crate) fn message(bytes: &[u8]) -> Vec<u8> {
    [&prefix(0, bytes.len()), bytes].concat()
}

/// Returns the prefix of a message: the compression flag and the length.
pub(crate) fn prefix(compressed: u8, len: usize) -> Vec<u8> {
    let len = u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes();
    [&[compressed], len.as_slice()].concat()
}

/// Returns a field with bytes, text, or another message.
pub(crate) fn bytes_field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2], varint(bytes.len()).as_slice(), bytes].concat()
}

/// Returns a varint: seven bits per byte, with a continuation bit in all but the last.
pub(crate) fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A received frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// Reads the next frame.
pub(crate) fn read_frame(stream: &mut impl Read) -> io::Result<Frame> {
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let [a, b, c, kind, flags, id @ ..] = head;
    let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
    stream.read_exact(&mut payload)?;
    let stream = u32::from_be_bytes(id) & 0x7fff_ffff;
    Ok(Frame {
        kind,
        flags,
        stream,
        payload,
    })
}

/// Reads until a stream ends.
pub(crate) fn read_answer(connection: &mut impl Read, stream: u32) -> io::Result<()> {
    loop {
        let frame = read_frame(connection)?;
        match frame.kind {
            HEADERS | DATA if frame.stream == stream && frame.flags & END_STREAM != 0 => {
                return Ok(());
            }
            RESET if frame.stream == stream => return Err(ErrorKind::ConnectionReset.into()),
            _ => {}
        }
    }
}
