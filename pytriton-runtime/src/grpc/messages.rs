use std::mem::replace;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::HttpBody;
use bytes::{Buf, Bytes};
use tokio::task::coop::poll_proceed;
use tonic::{Code, Status};

use crate::memory_budget::MemoryPermit;

use super::GrpcError;
use super::compression::Encoding;
use super::framing::Prefix;
use super::message::Message;
use super::punctual::Punctual;

/// Of a message so many bytes are looked at in one share of a task's turn, of which tokio gives it 128: 32 KiB in all.
const SHARE: usize = 256;

/// The messages that a client sends in a call.
#[derive(Debug)]
pub(super) struct Messages {
    body: Punctual,
    encoding: Option<Encoding>,
    limit: usize,
    /// What has come and has not been looked at.
    chunk: Bytes,
    state: State,
    /// How much was looked at without a share for it.
    owed: usize,
}

#[derive(Debug)]
enum State {
    Prefix(Prefix),
    /// A message of which so many bytes are missing.
    Message(Message, usize),
    Ended,
}

impl Messages {
    /// The messages in a body, of at most `limit` bytes each.
    pub(super) fn new(body: Punctual, encoding: Option<Encoding>, limit: usize) -> Self {
        Self {
            body: body.taken(),
            encoding,
            limit,
            chunk: Bytes::new(),
            state: State::Prefix(Prefix::default()),
            owed: 0,
        }
    }

    /// The next message, when all of it has come, with its count. Behind an error there is none.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(Message, MemoryPermit), Status>>> {
        loop {
            while self.owed >= SHARE {
                ready!(poll_proceed(context)).made_progress();
                self.owed -= SHARE;
            }
            match self.advance() {
                Ok(None) => {}
                Ok(Some(message)) => {
                    let held = self.body.take_held();
                    return Poll::Ready(Some(Ok((message, held))));
                }
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
            if let State::Ended = self.state {
                return Poll::Ready(None);
            }
            let error = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        self.chunk = data;
                        continue;
                    }
                    // Nothing comes behind trailers.
                    Err(_) => self.cut_off(),
                },
                Some(Err(status)) => Some(status),
                None => self.cut_off(),
            };
            self.state = State::Ended;
            // A client that takes its call back has sent all it wants to.
            let error = error.filter(|status| status.code() != Code::Cancelled);
            return Poll::Ready(error.map(Err));
        }
    }

    /// Goes on through what has come, to the end of a message at the most. Behind an error the state is that of the end.
    fn advance(&mut self) -> Result<Option<Message>, GrpcError> {
        loop {
            match replace(&mut self.state, State::Ended) {
                State::Message(message, 0) => {
                    self.owed += SHARE;
                    self.state = State::Prefix(Prefix::default());
                    return Ok(Some(message));
                }
                State::Message(mut message, missing) if !self.chunk.is_empty() => {
                    let taken = self.chunk.len().min(missing);
                    let before = message.looked_at();
                    message.push(&self.chunk[..taken]);
                    self.owed += message.looked_at() - before;
                    self.chunk.advance(taken);
                    self.state = State::Message(message, missing - taken);
                }
                State::Prefix(mut prefix) if !self.chunk.is_empty() => {
                    let mut rest = &self.chunk[..];
                    let begun = prefix.take(&mut rest);
                    let taken = self.chunk.len() - rest.len();
                    self.chunk.advance(taken);
                    self.state = match begun {
                        Some((flag, length)) => State::Message(self.begin(flag, length)?, length),
                        None => State::Prefix(prefix),
                    };
                }
                state => {
                    self.state = state;
                    return Ok(None);
                }
            }
        }
    }

    fn begin(&self, flag: u8, length: usize) -> Result<Message, GrpcError> {
        let encoding = match flag {
            0 => None,
            1 => Some(self.encoding.ok_or(GrpcError::NoEncoding)?),
            flag => return Err(GrpcError::Flag { flag }),
        };
        let limit = self.limit;
        if length > limit {
            return Err(GrpcError::TooLarge { limit });
        }
        // What has come of it is counted.
        let missing = length.saturating_sub(self.chunk.len());
        if missing > 0 {
            self.body.check(missing)?;
        }
        Ok(Message::new(encoding, length))
    }

    /// The error of a body that ends in a message.
    fn cut_off(&self) -> Option<Status> {
        match self.state {
            State::Prefix(prefix) if prefix.is_empty() => None,
            _ => Some(GrpcError::CutOff.into()),
        }
    }
}
