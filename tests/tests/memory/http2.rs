use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;

use crate::frames::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, Frame, HEADERS, RESET, SETTINGS, WINDOW_UPDATE,
    call, frame, header_block, hello, read_frame,
};
use crate::grpc_status::grpc_status;

/// The maximum payload of a frame that every server accepts.
const PAYLOAD: usize = 16 << 10;

/// The receive window of a client that reads, for each stream and for the connection.
const WINDOW: u32 = 1 << 30;

/// An HTTP/2 connection that respects the server's flow-control windows.
pub(crate) struct Http2 {
    stream: TcpStream,
    connection: usize,
    initial: usize,
    /// The send window of the current stream.
    current: usize,
    /// The last stream that ended.
    ended: u32,
    /// The number of response heads received.
    heads: u32,
    /// The status of the first call that has one.
    status: Option<u32>,
}

impl Http2 {
    /// Waits for the server's settings. One that does not read leaves the server no window.
    pub(crate) fn open(mut stream: TcpStream, reads: bool) -> io::Result<Self> {
        stream.write_all(&hello(if reads { WINDOW } else { 0 }))?;
        if reads {
            let more = (WINDOW - 65_535).to_be_bytes();
            stream.write_all(&frame(WINDOW_UPDATE, 0, 0, &more))?;
        }
        let mut connection = Self {
            stream,
            connection: 65_535,
            initial: 65_535,
            current: 0,
            ended: 0,
            heads: 0,
            status: None,
        };
        while !connection.learn(0)? {}
        connection.stream.write_all(&frame(SETTINGS, 1, 0, &[]))?;
        Ok(connection)
    }

    /// Starts a call and sends as much of its body as the window allows. Returns whether all of it
    /// was sent.
    pub(crate) fn send(
        &mut self,
        stream: u32,
        path: &str,
        encoding: Option<&str>,
        mut body: &[u8],
        ends: bool,
    ) -> io::Result<bool> {
        self.stream.write_all(&call(stream, path, encoding))?;
        self.current = self.initial;
        while !body.is_empty() {
            let most = PAYLOAD.min(self.connection).min(self.current);
            if most == 0 {
                self.learn(stream)?;
                if self.ended >= stream {
                    return Ok(false);
                }
                continue;
            }
            let (piece, rest) = body.split_at(body.len().min(most));
            self.stream.write_all(&frame(DATA, 0, stream, piece))?;
            self.connection -= piece.len();
            self.current -= piece.len();
            body = rest;
        }
        if ends {
            self.stream
                .write_all(&frame(DATA, END_STREAM, stream, &[]))?;
        }
        Ok(true)
    }

    /// Starts a call with `more` additional headers, without compression.
    pub(crate) fn send_head(&mut self, stream: u32, path: &str, more: usize) -> io::Result<()> {
        let mut block = header_block(path, None);
        for number in 0..more {
            let name = format!("x-{number:05}");
            block.extend([0, 7]);
            block.extend(name.as_bytes());
            block.push(100);
            block.extend([b'x'; 100]);
        }
        let mut pieces = block.chunks(PAYLOAD).peekable();
        let mut kind = HEADERS;
        while let Some(piece) = pieces.next() {
            let last = if pieces.peek().is_none() {
                END_HEADERS
            } else {
                0
            };
            self.stream.write_all(&frame(kind, last, stream, piece))?;
            kind = CONTINUATION;
        }
        Ok(())
    }

    /// Sends a request without a body.
    pub(crate) fn send_block(&mut self, stream: u32, block: &[u8]) -> io::Result<()> {
        let request = frame(HEADERS, END_HEADERS | END_STREAM, stream, block);
        self.stream.write_all(&request)
    }

    /// Reads until a stream ends.
    pub(crate) fn read_to_end(&mut self, stream: u32) -> io::Result<()> {
        while self.ended < stream {
            self.learn(stream)?;
        }
        Ok(())
    }

    /// Reads until `count` response heads have arrived.
    pub(crate) fn read_heads(&mut self, count: u32) -> io::Result<()> {
        while self.heads < count {
            self.learn(0)?;
        }
        Ok(())
    }

    /// Returns the status of the first call, if it has arrived.
    pub(crate) fn status(&self) -> Option<u32> {
        self.status
    }

    /// Reads a frame and returns whether it contains settings.
    fn learn(&mut self, stream: u32) -> io::Result<bool> {
        let Frame {
            kind,
            flags,
            stream: of,
            payload,
        } = read_frame(&mut self.stream)?;
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes) as usize;
        match kind {
            WINDOW_UPDATE if of == 0 => self.connection += number(&payload),
            WINDOW_UPDATE if of == stream => self.current += number(&payload),
            SETTINGS if flags == 0 => {
                let setting = payload
                    .chunks_exact(6)
                    .rfind(|setting| setting[..2] == [0, 4]);
                self.initial = setting.map_or(self.initial, |setting| number(&setting[2..]));
                return Ok(true);
            }
            HEADERS if flags & END_STREAM != 0 => {
                self.status = self.status.or_else(|| grpc_status(&payload));
                self.ended = self.ended.max(of);
            }
            HEADERS => self.heads += 1,
            DATA if flags & END_STREAM != 0 => self.ended = self.ended.max(of),
            RESET => self.ended = self.ended.max(of),
            // The server has sent GOAWAY.
            7 => return Err(ErrorKind::ConnectionAborted.into()),
            _ => {}
        }
        Ok(false)
    }
}
