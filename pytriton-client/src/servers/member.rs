use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::Server;
use crate::{ClientError, Stage, Status};

/// How long a server that failed is asked only where no other is left; twice the time for which it said nothing, where that is more.
pub(super) const REST: Duration = Duration::from_secs(5);

/// How long it rests at most.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Who says nothing for less than that is not taken for silent.
const SILENCE: Duration = Duration::from_millis(500);

/// One of the servers.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) server: Arc<Server>,
    under_way: AtomicUsize,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    heard: Option<Instant>,
    /// Until when it rests, and for how long it does when it is tried meanwhile.
    rests: Option<(Instant, Duration)>,
}

/// A request that a server has, until it is dropped.
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

    /// A request for it. One that rests is tried by one request at a time.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        if let Some((until, rest)) = &mut self.health().rests {
            *until = (*until).max(begun + *rest);
        }
        let member = Arc::clone(self);
        UnderWay { member, begun }
    }

    /// How little it is to be asked: whether it rests, and how much it has to do.
    pub(super) fn rank(&self, now: Instant) -> (bool, usize) {
        let rests = self.health().rests.is_some_and(|(until, _)| now < until);
        (rests, self.under_way.load(Ordering::Relaxed))
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    /// Notes what came of it.
    pub(crate) fn heard(&self, error: Option<&ClientError>) {
        let now = Instant::now();
        let mut health = self.member.health();
        let lately = health.heard.filter(|heard| *heard > self.begun);
        let silent = now - lately.unwrap_or(self.begun);
        let rest = match error {
            None => None,
            Some(ClientError::Timeout { stage, timeout, .. }) => {
                let brief = silent < SILENCE || lately.is_some() && silent < *timeout;
                // A slow model is no silent server.
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

/// Whether another request would go the same way: one that is refused soon leaves a server with the least to do.
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
