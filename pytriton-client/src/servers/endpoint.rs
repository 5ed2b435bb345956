use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::Server;
use crate::{ClientError, Stage, Status};

/// How long a failed server is avoided; twice the time of its silence, if that is longer.
pub(super) const AVOIDANCE_PERIOD: Duration = Duration::from_secs(5);

/// How long a server is avoided that has refused a request because of a limit. The next request may
/// succeed, but a server that refuses quickly would always have the fewest in flight.
pub(super) const LIMIT_AVOIDANCE_PERIOD: Duration = Duration::from_millis(250);

/// The longest time that a server is avoided.
const MAX_AVOIDANCE_PERIOD: Duration = Duration::from_secs(60);

/// A shorter silence does not count as a failure.
const MIN_FAILURE_SILENCE: Duration = Duration::from_millis(500);

/// One of several servers.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) server: Arc<Server>,
    in_flight: AtomicUsize,
    health: Mutex<Health>,
}

#[derive(Debug, Default)]
struct Health {
    last_response: Option<Instant>,
    /// The end of the avoidance period, and its length after another failure.
    avoided: Option<(Instant, Duration)>,
}

/// A request in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestInFlight {
    endpoint: Arc<Endpoint>,
    begun: Instant,
}

impl Endpoint {
    pub(super) fn new(server: Server) -> Arc<Self> {
        Arc::new(Self {
            server: Arc::new(server),
            in_flight: AtomicUsize::new(0),
            health: Mutex::default(),
        })
    }

    /// Starts a request. An avoided server is tried by one request at a time.
    pub(super) fn begin(self: &Arc<Self>) -> RequestInFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        if let Some((until, period)) = &mut self.health().avoided {
            *until = (*until).max(begun + *period);
        }
        let endpoint = Arc::clone(self);
        RequestInFlight { endpoint, begun }
    }

    /// Returns the sort key for selection: whether the server is avoided, and its requests in
    /// flight.
    pub(super) fn rank(&self, now: Instant) -> (bool, usize) {
        let avoided = self.health().avoided.is_some_and(|(until, _)| now < until);
        (avoided, self.in_flight.load(Ordering::Relaxed))
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestInFlight {
    /// Records the outcome of a request.
    pub(crate) fn record(&self, error: Option<&ClientError>) {
        let now = Instant::now();
        let mut health = self.endpoint.health();
        let lately = health.last_response.filter(|last| *last > self.begun);
        let silent = now - lately.unwrap_or(self.begun);
        let period = match error {
            None => None,
            Some(ClientError::Timeout { stage, timeout, .. }) => {
                let brief = silent < MIN_FAILURE_SILENCE || lately.is_some() && silent < *timeout;
                // A slow model does not make a server unresponsive.
                if *stage != Stage::Connect && brief {
                    return;
                }
                Some((silent * 2).clamp(AVOIDANCE_PERIOD, MAX_AVOIDANCE_PERIOD))
            }
            Some(error) => avoidance_period(error),
        };
        match period {
            Some(period) => health.avoided = Some((now + period, period)),
            None => {
                *health = Health {
                    last_response: Some(now),
                    avoided: None,
                }
            }
        }
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.endpoint.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns how long the server is avoided after this error, if another request is likely to fail in
/// the same way.
///
/// HTTP status 429 is a limit, such as a quota of the caller. The same gRPC status also reports a
/// server that has no memory left.
fn avoidance_period(error: &ClientError) -> Option<Duration> {
    let of_the_server = match error {
        ClientError::Server {
            status: Status::Http(429),
            ..
        } => return Some(LIMIT_AVOIDANCE_PERIOD),
        ClientError::Lost { .. }
        | ClientError::Protocol { .. }
        | ClientError::ModelUnavailable { .. } => true,
        ClientError::Server { status, .. } => {
            matches!(status, Status::Http(502 | 503) | Status::Grpc(8 | 14))
        }
        error => error.is_unsent(),
    };
    of_the_server.then_some(AVOIDANCE_PERIOD)
}
