use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::memory_budget::MemoryPermit;
use crate::reception::{Error, Patience, Reception};

use super::GrpcError;
use super::framing::Framing;

/// A body that ends with a status when its client is too slow: with all of it, or with a message of a stream that has
/// begun.
#[derive(Debug)]
pub(super) struct Punctual {
    body: Body,
    patience: Patience,
    /// What has come of the message that is under way, or what nobody has taken since.
    held: MemoryPermit,
    taken: bool,
    /// `None` where all of the body is waited for.
    messages: Option<Framing>,
}

impl Punctual {
    /// `streams` says whether the client may send a message whenever it likes.
    pub(super) fn new(body: Body, streams: bool, reception: &Reception) -> Self {
        Self {
            body,
            patience: reception.patience(),
            held: reception.models.budget().empty_permit(),
            taken: false,
            messages: streams.then(Framing::default),
        }
    }

    /// The same for one who takes each message's count with it.
    pub(super) fn taken(mut self) -> Self {
        self.taken = true;
        self
    }

    /// The count of what has come since the last time.
    pub(super) fn take_held(&mut self) -> MemoryPermit {
        self.held.take()
    }

    /// Refuses what there is no room for before it comes.
    pub(super) fn check(&self, bytes: usize) -> Result<(), GrpcError> {
        self.held.check(bytes).map_err(Error::from)?;
        Ok(())
    }

    fn came(&mut self, data: &Bytes) -> Result<(), GrpcError> {
        self.patience.came(data.len());
        self.held.grow(data.len()).map_err(Error::from)?;
        let messages = self.messages.as_mut();
        if messages.is_some_and(|messages| messages.pass(data)) {
            self.patience.renew();
            if !self.taken {
                self.held.release();
            }
        }
        Ok(())
    }
}

impl HttpBody for Punctual {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(data) = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref())
                && let Err(error) = self.came(data)
            {
                return Poll::Ready(Some(Err(error.into())));
            }
            let failed = |error: axum::Error| tonic::Status::from_error(error.into_inner());
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        if self.messages.is_some_and(|messages| !messages.inside()) {
            return Poll::Pending;
        }
        let error = ready!(self.patience.poll_late(context));
        Poll::Ready(Some(Err(GrpcError::from(error).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
