use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::Limits;
use crate::reception::Patience;
use crate::repository::Repository;

use super::GrpcError;
use super::framing::Framing;

/// The calls on which a client may send a message whenever it likes.
const STREAMS: [&str; 2] = [
    "/inference.GRPCInferenceService/ModelStreamInfer",
    "/grpc.reflection.",
];

/// Lets what the client sends come in time: all of it, or each message of a stream once it has begun.
pub(super) fn punctual(request: Request, limits: &Limits, repository: &Arc<Repository>) -> Request {
    let path = request.uri().path();
    let streams = STREAMS.iter().any(|stream| path.starts_with(stream));
    let patience = Patience::new(limits, repository);
    request.map(|body| {
        Body::new(Punctual {
            body,
            patience,
            messages: streams.then(Framing::default),
        })
    })
}

/// A body that ends with a status when its client is too slow.
#[derive(Debug)]
struct Punctual {
    body: Body,
    patience: Patience,
    /// `None` where all of the body is waited for.
    messages: Option<Framing>,
}

impl Punctual {
    fn came(&mut self, data: &Bytes) {
        self.patience.came(data.len());
        let messages = self.messages.as_mut();
        if messages.is_some_and(|messages| messages.pass(data)) {
            self.patience.renew();
        }
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
            {
                self.came(data);
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
