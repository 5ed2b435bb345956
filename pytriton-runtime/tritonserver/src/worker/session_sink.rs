use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use pytriton_backend::session::{Server, SessionError};
use pytriton_core::call::Cancelled;
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;

use crate::backend_batch::BatchSink;

use super::answer::answer_one;
use super::claimed_senders::ClaimedSenders;
use super::serve::end;
use super::sessions::Sessions;

/// Sends responses over a session while their batch runs.
#[derive(Debug)]
pub(super) struct SessionSink {
    server: Arc<Server>,
    sessions: Arc<Sessions>,
    batch: u64,
    begun: AtomicU64,
    claimed: ClaimedSenders,
}

impl SessionSink {
    pub(super) fn new(
        server: &Arc<Server>,
        sessions: &Arc<Sessions>,
        batch: u64,
        claimed: ClaimedSenders,
    ) -> Self {
        Self {
            server: Arc::clone(server),
            sessions: Arc::clone(sessions),
            batch,
            begun: AtomicU64::default(),
            claimed,
        }
    }

    fn batch(&self) -> (u64, u64) {
        // Relaxed: the thread that responds has been called before.
        (self.batch, self.begun.load(Ordering::Relaxed))
    }

    /// Ends the session if it is broken.
    fn check(&self, sent: Result<(), SessionError>) -> Result<(), Cancelled> {
        match sent {
            Ok(()) => Ok(()),
            Err(SessionError::Memory(_)) => Err(Cancelled),
            broken => {
                end(&self.server, &self.sessions, &broken);
                Err(Cancelled)
            }
        }
    }
}

impl BatchSink for SessionSink {
    fn called(&self, begun: u64) {
        self.begun.store(begun, Ordering::Relaxed);
    }

    fn poll_ready(&self, request: usize, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        self.claimed.poll_ready(request, context)
    }

    fn send(
        &self,
        position: (usize, u32),
        answer: Result<Response, SchedulerError>,
    ) -> Result<(), Cancelled> {
        let claimed = self.claimed.contains(position.0);
        if claimed {
            self.claimed.send(position.0, &answer);
        }
        self.check(match claimed && answer.is_ok() {
            true => self.server.count(self.batch(), wire_position(position)),
            false => answer_one(&self.server, self.batch(), position, (&answer, false)),
        })
    }

    fn end(&self, position: (usize, u32), end: Result<(), SchedulerError>) {
        self.claimed.end(position.0, &end);
        let sent = match end {
            Ok(()) => self
                .server
                .end_request(self.batch(), wire_position(position)),
            Err(error) => answer_one(&self.server, self.batch(), position, (&Err(error), true)),
        };
        // No further response is produced.
        let _ = self.check(sent);
    }

    fn is_cancelled(&self, request: usize) -> bool {
        let number = u32::try_from(request);
        self.claimed.is_closed(request)
            || number.is_ok_and(|number| self.server.is_cancelled(self.batch, number))
    }
}

/// Converts a position to tritonserver's type.
fn wire_position((request, sequence): (usize, u32)) -> (u32, u32) {
    // Cannot overflow: a batch holds at most `u32::MAX` requests.
    (u32::try_from(request).unwrap_or(u32::MAX), sequence)
}
