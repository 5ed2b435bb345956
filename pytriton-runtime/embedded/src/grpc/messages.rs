use std::future::poll_fn;
use std::mem::replace;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::request::Arrival;
use tokio::task::coop::poll_proceed;
use tonic::{Code, Status};

use crate::service::Error;

use super::GrpcError;
use super::compression::Encoding;
use super::framing::Prefix;
use super::message::{Collector, Message};
use super::message_limit::MessageLimit;
use super::timed_body::TimedBody;

/// The number of parsed bytes per unit of a task's cooperative budget. tokio grants 128 units per
/// poll, which is 32 KiB.
const BYTES_PER_UNIT: usize = 256;

/// A complete message, which has reserved its bytes, with an empty permit of its budget; an error,
/// or the end.
pub(super) type NextMessage<C> = Option<Result<(Message<C>, MemoryPermit), Status>>;

/// The properties of all messages of a call.
#[derive(Debug)]
pub(super) struct MessageOptions {
    pub(super) encoding: Option<Encoding>,
    pub(super) limit: MessageLimit,
    /// Whether the client may pause between messages for any time.
    pub(super) streaming: bool,
}

/// The messages that a client sends in a call.
#[derive(Debug)]
pub(super) struct Messages<C> {
    body: TimedBody,
    options: MessageOptions,
    /// Covers `chunk`.
    permit: MemoryPermit,
    /// Received bytes that are not part of a message yet.
    chunk: Bytes,
    state: State<C>,
    /// The number of parsed bytes that are not charged to the cooperative budget yet.
    uncharged: usize,
}

#[derive(Debug)]
enum State<C> {
    Prefix(Prefix),
    /// A message that lacks this many bytes.
    Message(Message<C>, usize),
    Ended,
}

impl<C: Collector> Messages<C> {
    /// Creates the messages of a body. `permit` is an empty permit of the budget that they count
    /// against.
    pub(super) fn new(body: TimedBody, permit: MemoryPermit, options: MessageOptions) -> Self {
        Self {
            body,
            options,
            permit,
            chunk: Bytes::new(),
            state: State::Prefix(Prefix::default()),
            uncharged: 0,
        }
    }

    /// Returns the limit of each message.
    pub(super) fn limit(&self) -> MessageLimit {
        self.options.limit
    }

    /// Returns the position of the request among those of its connection, if the order matters.
    pub(super) fn arrival(&self) -> Option<Arc<Arrival>> {
        self.body.arrival().cloned()
    }

    /// Returns the first message of a unary call.
    pub(super) async fn first(&mut self) -> Result<(Message<C>, MemoryPermit), Status> {
        let message = poll_fn(|context| self.poll_next(context)).await;
        message.unwrap_or_else(|| Err(GrpcError::NoMessage.into()))
    }

    /// Waits for the end of a unary call. Further messages are ignored unless they are invalid.
    pub(super) async fn end(mut self) -> Result<(), Status> {
        while let Some(more) = poll_fn(|context| self.poll_next(context)).await {
            more?;
        }
        Ok(())
    }

    /// Returns the next complete message with an empty permit. No message follows an error.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<NextMessage<C>> {
        loop {
            while self.uncharged >= BYTES_PER_UNIT {
                ready!(poll_proceed(context)).made_progress();
                self.uncharged -= BYTES_PER_UNIT;
            }
            match self.advance() {
                Ok(None) => {}
                Ok(Some(message)) => {
                    if self.options.streaming {
                        self.body.restart();
                    }
                    return Poll::Ready(Some(Ok((message, self.permit.sibling()))));
                }
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
            if let State::Ended = self.state {
                return Poll::Ready(None);
            }
            let idle = self.options.streaming && self.is_between_messages();
            let error = match ready!(self.body.poll_frame(context, idle)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => match self.permit.resize(data.len()) {
                        Ok(()) => {
                            self.chunk = data;
                            continue;
                        }
                        Err(error) => Some(GrpcError::from(Error::from(error)).into()),
                    },
                    // Trailers end the body.
                    Err(_) => self.cut_off(),
                },
                Some(Err(status)) => Some(status),
                None => self.cut_off(),
            };
            self.state = State::Ended;
            // A client that cancels its call has sent everything that it wants to send.
            let error = error.filter(|status| status.code() != Code::Cancelled);
            return Poll::Ready(error.map(Err));
        }
    }

    /// Processes received bytes up to the end of one message. After an error, the state is `Ended`.
    fn advance(&mut self) -> Result<Option<Message<C>>, GrpcError> {
        loop {
            match replace(&mut self.state, State::Ended) {
                State::Message(message, 0) => {
                    self.uncharged += BYTES_PER_UNIT;
                    self.state = State::Prefix(Prefix::default());
                    return Ok(Some(message));
                }
                State::Message(mut message, missing) if !self.chunk.is_empty() => {
                    let taken = self.chunk.len().min(missing);
                    let before = message.parsed();
                    let pushed = message.push(&self.chunk[..taken]);
                    pushed.map_err(Error::from)?;
                    // The length of contents that get a buffer of their own is removed again.
                    self.uncharged += message.parsed().saturating_sub(before);
                    self.consume(taken);
                    self.state = State::Message(message, missing - taken);
                }
                State::Prefix(mut prefix) if !self.chunk.is_empty() => {
                    let mut rest = &self.chunk[..];
                    let complete = prefix.take(&mut rest);
                    let taken = self.chunk.len() - rest.len();
                    self.consume(taken);
                    self.state = match complete {
                        Some((flag, length)) => State::Message(self.start(flag, length)?, length),
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

    fn start(&self, flag: u8, length: usize) -> Result<Message<C>, GrpcError> {
        let encoding = match flag {
            0 => None,
            1 => Some(self.options.encoding.ok_or(GrpcError::NoEncoding)?),
            flag => return Err(GrpcError::Flag { flag }),
        };
        if length > self.options.limit.bytes {
            return Err(self.options.limit.error());
        }
        // Refuse early what does not fit now. The memory is reserved as it arrives.
        self.permit.sibling().check(length).map_err(Error::from)?;
        Ok(Message::start(encoding, length, self.permit.sibling()))
    }

    /// Releases the received bytes once all of them are part of a message.
    fn consume(&mut self, taken: usize) {
        self.chunk.advance(taken);
        if self.chunk.is_empty() {
            self.chunk = Bytes::new();
            self.permit.release();
        }
    }

    fn is_between_messages(&self) -> bool {
        matches!(self.state, State::Prefix(prefix) if prefix.is_empty())
    }

    /// Returns the error of a body that ends within a message.
    fn cut_off(&self) -> Option<Status> {
        match self.is_between_messages() {
            true => None,
            false => Some(GrpcError::CutOff.into()),
        }
    }
}
