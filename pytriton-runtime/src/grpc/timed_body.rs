use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::Frame;
use tonic::Status;

use crate::request::Arrival;
use crate::service::Patience;

use super::GrpcError;

/// A request body that fails if the client is too slow.
#[derive(Debug)]
pub(super) struct TimedBody {
    body: Body,
    timeout: Patience,
    /// The position of the request among those of its connection, if the order matters.
    arrival: Option<Arc<Arrival>>,
}

impl TimedBody {
    pub(super) fn new(body: Body, timeout: Patience, arrival: Option<Arc<Arrival>>) -> Self {
        Self {
            body,
            timeout,
            arrival,
        }
    }

    pub(super) fn arrival(&self) -> Option<&Arc<Arrival>> {
        self.arrival.as_ref()
    }

    /// Returns the next frame, or `None` at the end. If `idle`, there is no time limit.
    pub(super) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
        idle: bool,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let body = Pin::new(&mut self.body);
        let frame = match &self.arrival {
            None => body.poll_frame(context),
            Some(arrival) => arrival.poll_body(context, |context| body.poll_frame(context)),
        };
        if let Poll::Ready(frame) = frame {
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok());
            if let Some(data) = data.and_then(Frame::data_ref) {
                self.timeout.came(data.len());
            }
            let failed = |error: axum::Error| Status::from_error(error.into_inner());
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        if idle {
            return Poll::Pending;
        }
        let error = ready!(self.timeout.poll_late(context));
        Poll::Ready(Some(Err(GrpcError::from(error).into())))
    }

    /// Restarts the time limit.
    pub(super) fn renew(&mut self) {
        self.timeout.renew();
    }
}
