use std::sync::Arc;
use std::task::{Context, Poll};

use pytriton_backend::session::{Server, SessionError};
use pytriton_core::call::{Cancelled, ModelError};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::Response;
use pytriton_core::response_channel::{RequestSink, ResponseSender, SchedulerError};

use crate::backend_batch::CancellationTimer;

use super::respond::respond_once;
use super::session_end::SessionEnd;

/// Sends the responses to a request over a session while its batch runs.
#[derive(Debug)]
pub(super) struct SessionSink {
    pub(super) server: Arc<Server>,
    pub(super) spec: Arc<ModelSpec>,
    /// The number of the batch, and when its function was called.
    pub(super) batch: (u64, u64),
    /// The position of the request in the batch.
    pub(super) request: usize,
    /// The sender, if this process receives the responses. Then tritonserver receives only their
    /// number.
    pub(super) claimed: Option<ResponseSender>,
    pub(super) timer: CancellationTimer,
}

impl SessionSink {
    /// Returns the number of a response, in tritonserver's types.
    fn wire_position(&self, sent: u32) -> (u32, u32) {
        // Cannot overflow: a batch holds at most `u32::MAX` requests.
        (u32::try_from(self.request).unwrap_or(u32::MAX), sent)
    }

    /// Ends the session if it is broken.
    fn check(&self, sent: Result<(), SessionError>) -> Result<(), Cancelled> {
        match sent {
            Ok(()) => Ok(()),
            Err(SessionError::Memory(_)) => Err(Cancelled),
            broken => {
                SessionEnd::of(&self.server, &self.spec, &broken);
                Err(Cancelled)
            }
        }
    }
}

impl RequestSink for SessionSink {
    fn called(&mut self, begun: u64) {
        self.batch.1 = begun;
    }

    /// Pending while too many responses wait for the receiver in this process. tritonserver does
    /// not wait for its clients.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let claimed = self.claimed.as_ref();
        claimed.map_or(Poll::Ready(Ok(())), |sender| sender.poll_ready(context))
    }

    fn send(&mut self, sent: u32, response: Result<Response, ModelError>) -> Result<(), Cancelled> {
        let response = response.map_err(SchedulerError::from);
        if let Some(sender) = &self.claimed
            && let Err(error) = sender.send(response.clone())
        {
            self.end(sent, Err(error.into()));
            return Err(Cancelled);
        }
        self.check(match self.claimed.is_some() && response.is_ok() {
            true => self.server.count(self.batch, self.wire_position(sent)),
            false => {
                let position = (self.request, sent);
                respond_once(&self.server, self.batch, position, (&response, false))
            }
        })
    }

    fn end(&mut self, sent: u32, end: Result<(), SchedulerError>) {
        if let Some(sender) = self.claimed.take() {
            match &end {
                Ok(()) => sender.end(),
                Err(error) => sender.finish(Err(error.clone())),
            }
        }
        let ended = match end {
            Ok(()) => self
                .server
                .end_request(self.batch, self.wire_position(sent)),
            Err(error) => {
                let position = (self.request, sent);
                respond_once(&self.server, self.batch, position, (&Err(error), true))
            }
        };
        // No further response is produced.
        let _ = self.check(ended);
    }

    fn is_cancelled(&self) -> bool {
        let number = u32::try_from(self.request);
        self.claimed.as_ref().is_some_and(ResponseSender::is_closed)
            || number.is_ok_and(|number| self.server.is_cancelled(self.batch.0, number))
    }

    fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.timer.poll(context)
    }
}
