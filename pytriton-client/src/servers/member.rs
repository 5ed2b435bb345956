use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::Server;
use crate::{ClientError, Stage, Status};

/// How long a failed server is avoided; twice the time of its silence, if that is longer.
pub(super) const REST: Duration = Duration::from_secs(5);

/// The longest time that a server is avoided.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// A shorter silence does not count as a failure.
const SILENCE: Duration = Duration::from_millis(500);

/// One of several servers.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) server: Arc<Server>,
    under_way: AtomicUsize,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    heard: Option<Instant>,
    /// The end of the avoidance period, and its length after another failure.
    rests: Option<(Instant, Duration)>,
}

/// A request in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay {
    member: Arc<Member>,
    begun: Instant,
}

impl Member {
    pub(super) fn new(server: Server) -> Arc<Self> {
        Arc::new(Self {
            server: Arc::new(server),
            under_way: AtomicUsize::new(0),
            health: Mutex::default(),
        })
    }

    /// Starts a request. An avoided server is tried by one request at a time.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        if let Some((until, rest)) = &mut self.health().rests {
            *until = (*until).max(begun + *rest);
        }
        let member = Arc::clone(self);
        UnderWay { member, begun }
    }

    /// Returns the sort key for selection: whether the server is avoided, and its requests in
    /// flight.
    pub(super) fn rank(&self, now: Instant) -> (bool, usize) {
        let rests = self.health().rests.is_some_and(|(until, _)| now < until);
        (rests, self.under_way.load(Ordering::Relaxed))
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    /// Records the outcome of a request.
    pub(crate) fn heard(&self, error: Option<&ClientError>) {
        let now = Instant::now();
        let mut health = self.member.health();
        let lately = health.heard.filter(|heard| *heard > self.begun);
        let silent = now - lately.unwrap_or(self.begun);
        let rest = match error {
            None => None,
            Some(ClientError::Timeout { stage, timeout, .. }) => {
                let brief = silent < SILENCE || lately.is_some() && silent < *timeout;
                // A slow model does not make a server unresponsive.
                if *stage != Stage::Connect && brief {
                    return;
                }
                Some((silent * 2).clamp(REST, LONGEST_REST))
            }
            Some(error) => is_of_the_server(error).then_some(REST),
        };
        match rest {
            Some(rest) => health.rests = Some((now + rest, rest)),
            None => {
                *health = Health {
                    heard: Some(now),
                    rests: None,
                }
            }
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.member.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns whether another request would fail in the same way. A server that refuses requests
/// quickly would otherwise always have the fewest in flight.
fn is_of_the_server(error: &ClientError) -> bool {
    match error {
        ClientError::Lost { .. }
        | ClientError::Protocol { .. }
        | ClientError::ModelUnavailable { .. } => true,
        ClientError::Server { status, .. } => {
            matches!(status, Status::Http(429 | 502 | 503) | Status::Grpc(8 | 14))
        }
        error => error.is_unsent(),
    }
}
