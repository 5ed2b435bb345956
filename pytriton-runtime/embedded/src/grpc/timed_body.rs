use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::FutureExt;
use hyper::body::Frame;
use pytriton_core::request::Arrival;
use pytriton_engine::Limits;
use pytriton_net::BodyTimeout;
use tonic::Status;

use crate::repository::ModelRepository;

use super::GrpcError;

/// A request body that fails if the client is too slow.
#[derive(Debug)]
pub(super) struct TimedBody {
    body: Body,
    timeout: BodyTimeout,
    models: Arc<ModelRepository>,
    /// The position of the request among those of its connection, if the order matters.
    arrival: Option<Arc<Arrival>>,
}

impl TimedBody {
    pub(super) fn new(
        body: Body,
        limits: &Limits,
        models: &Arc<ModelRepository>,
        arrival: Option<Arc<Arrival>>,
    ) -> Self {
        Self {
            body,
            timeout: BodyTimeout::new(limits.connections.min_rate()),
            models: Arc::clone(models),
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
                self.timeout.receive(data.len());
            }
            let failed = |error: axum::Error| Status::from_error(error.into_inner());
            return Poll::Ready(frame.map(|frame| frame.map_err(failed)));
        }
        if idle {
            return Poll::Pending;
        }
        let stopping = || self.models.stopping().boxed();
        let error = ready!(self.timeout.poll_expired(context, stopping));
        Poll::Ready(Some(Err(GrpcError::from(error).into())))
    }

    /// Restarts the time limit.
    pub(super) fn restart(&mut self) {
        self.timeout.restart();
    }
}
