use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::Instant;

use crate::deadline::Deadline;
use crate::server::Server;
use crate::transport::Link;
use crate::{Address, ClientError, SequenceId};

use super::RequestInFlight;
use super::endpoint::Endpoint;

/// One server, or several with the same models.
#[derive(Debug)]
pub(crate) struct Servers {
    endpoints: Vec<Arc<Endpoint>>,
    next: AtomicUsize,
}

impl Servers {
    pub(crate) fn new(addresses: &[Address], link: &Link) -> Result<Self, ClientError> {
        let servers = addresses.iter().map(|address| Server::new(address, link));
        Ok(Self::of(servers.collect::<Result<Vec<_>, _>>()?))
    }

    /// Returns the same servers with new connections.
    pub(crate) fn with_new_connections(&self) -> Self {
        Self::of(self.all().map(|server| server.with_new_connections()))
    }

    fn of(servers: impl IntoIterator<Item = Server>) -> Self {
        Self {
            endpoints: servers.into_iter().map(Endpoint::new).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// All servers.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = &Arc<Server>> {
        self.endpoints.iter().map(|endpoint| &endpoint.server)
    }

    /// Sends a request to one server, and to the next one if the request was not sent.
    ///
    /// Requests of a sequence always use the same server. The request counts as in flight until the
    /// returned guard is dropped.
    pub(crate) async fn send<T, F>(
        &self,
        sequence: Option<&SequenceId>,
        deadline: Deadline,
        mut send: impl FnMut(Arc<Server>) -> F,
    ) -> Result<(T, RequestInFlight), ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut refused = ClientError::Closed;
        for index in self.order(sequence) {
            let endpoint = &self.endpoints[index];
            let in_flight = endpoint.begin();
            let result = deadline
                .within(Box::pin(send(Arc::clone(&endpoint.server))))
                .await;
            in_flight.record(result.as_ref().err());
            match result {
                Ok(response) => return Ok((response, in_flight)),
                Err(error) if error.is_unsent() => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// Returns the order in which servers are tried: avoided ones last, then by requests in flight.
    fn order(&self, sequence: Option<&SequenceId>) -> Vec<usize> {
        let count = self.endpoints.len();
        if let Some(id) = sequence {
            let mut hasher = DefaultHasher::new();
            id.hash(&mut hasher);
            return vec![usize::try_from(hasher.finish() % (count as u64)).unwrap_or_default()];
        }
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut order: Vec<usize> = (0..count)
            .map(|step| first.wrapping_add(step) % count)
            .collect();
        let now = Instant::now();
        order.sort_by_key(|index| self.endpoints[*index].rank(now));
        order
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use super::super::endpoint::{AVOIDANCE_PERIOD, LIMIT_AVOIDANCE_PERIOD};
    use super::*;
    use crate::{Stage, Status};

    fn servers(count: usize) -> Servers {
        let addresses: Vec<Address> = (0..count)
            .map(|number| format!("host{number}").parse().unwrap())
            .collect();
        let link = Link {
            tls: crate::Tls::new(),
            access_token: None,
            connect_timeout: AVOIDANCE_PERIOD,
            gzip: false,
        };
        Servers::new(&addresses, &link).unwrap()
    }

    fn refused() -> ClientError {
        let (address, message) = (String::new(), String::new());
        ClientError::Connect { address, message }
    }

    fn within(seconds: u64) -> Deadline {
        Deadline::new(Stage::Inference, Duration::from_secs(seconds))
    }

    #[tokio::test(start_paused = true)]
    async fn idle_servers_are_used_in_turn() {
        let servers = servers(3);
        for expected in [0, 1, 2, 0] {
            assert_eq!(servers.order(None)[0], expected);
        }
        // In flight as long as the guard exists, for example during a stream.
        let (_, busy) = servers
            .send(None, within(9), |_| ready(Ok(())))
            .await
            .unwrap();
        assert_eq!(servers.order(None), [2, 0, 1]);
        drop(busy);
        let id = SequenceId::from(7);
        assert_eq!(servers.order(Some(&id)), servers.order(Some(&id)));
        assert_eq!(servers.order(Some(&id)).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn unsent_request_goes_to_the_next_server() {
        let slow = |stage| ClientError::Timeout {
            stage,
            timeout: AVOIDANCE_PERIOD,
            message: String::new(),
        };
        let (address, message) = (String::new(), String::new());
        let untrusted = ClientError::Tls { address, message };
        for (error, expected) in [
            (refused(), 2),
            (slow(Stage::Connect), 2),
            (untrusted, 2),
            (slow(Stage::Inference), 1),
            (ClientError::Closed, 1),
        ] {
            let servers = servers(2);
            let mut attempts = 0;
            let response = servers.send(None, within(9), |_| {
                attempts += 1;
                ready(match attempts {
                    1 => Err(error.clone()),
                    _ => Ok(()),
                })
            });
            let response = response.await;
            assert_eq!(
                (attempts, response.is_ok()),
                (expected, expected == 2),
                "{error}"
            );
        }
        let all = servers(2)
            .send(None, within(9), |_| ready(Err::<(), _>(refused())))
            .await;
        assert_eq!(all.unwrap_err(), refused());
    }

    #[tokio::test(start_paused = true)]
    async fn unresponsive_server_is_avoided() {
        let servers = servers(2);
        servers.endpoints[0].begin().record(Some(&refused()));
        for _ in 0..4 {
            assert_eq!(servers.order(None), [1, 0]);
        }
        tokio::time::advance(AVOIDANCE_PERIOD).await;
        assert_eq!(servers.order(None), [0, 1]);
        // Only one request tries it, even if others arrive in the meantime.
        let trying = servers.endpoints[0].begin();
        assert_eq!(servers.order(None), [1, 0]);
        trying.record(None);
        drop(trying);
        assert_eq!(servers.order(None), [0, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn avoidance_is_longer_than_the_lost_time() {
        let servers = servers(2);
        let late = servers
            .send(None, within(20), |_| pending::<Result<(), _>>())
            .await;
        assert!(matches!(late, Err(ClientError::Timeout { .. })), "{late:?}");
        tokio::time::advance(Duration::from_secs(39)).await;
        for _ in 0..4 {
            assert_eq!(servers.order(None), [1, 0]);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        let mut first = [servers.order(None)[0], servers.order(None)[0]];
        first.sort_unstable();
        assert_eq!(first, [0, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn only_unresponsive_server_is_avoided() {
        let servers = servers(2);
        let is_avoided = |endpoint: &Arc<Endpoint>| endpoint.rank(Instant::now()).0;
        // The caller has cancelled the request.
        let attempts = servers.send(None, within(60), |_| pending::<Result<(), _>>());
        let timed_out = tokio::time::timeout(Duration::from_secs(9), attempts).await;
        assert!(timed_out.is_err() && !is_avoided(&servers.endpoints[0]));
        // It responds to other requests in the meantime.
        let slow = servers.endpoints[0].begin();
        tokio::time::advance(Duration::from_secs(9)).await;
        servers.endpoints[0].begin().record(None);
        slow.record(Some(&within(9).late(String::new())));
        assert!(!is_avoided(&servers.endpoints[0]));
    }
    #[tokio::test(start_paused = true)]
    async fn broken_stream_counts_only_the_time_since_its_last_message() {
        let broken = || {
            let (address, message) = (String::new(), String::new());
            ClientError::Lost { address, message }
        };
        let table = [
            (broken(), 0, 5),
            (broken(), 60, 5),
            (within(60).late(String::new()), 20, 0),
            (within(20).late(String::new()), 20, 40),
            (within(900).late(String::new()), 900, 60),
            (
                Deadline::new(Stage::Connect, AVOIDANCE_PERIOD).late(String::new()),
                10,
                20,
            ),
        ];
        for (error, silent, rest) in table {
            let servers = servers(2);
            let stream = servers.endpoints[0].begin();
            tokio::time::advance(Duration::from_secs(3_600)).await;
            stream.record(None);
            tokio::time::advance(Duration::from_secs(silent)).await;
            stream.record(Some(&error));
            drop(stream);
            let is_avoided = |at| servers.endpoints[0].rank(at).0;
            let until = Instant::now() + Duration::from_secs(rest);
            assert!(!is_avoided(until), "{error}");
            assert_eq!(
                is_avoided(until - Duration::from_millis(1)),
                rest > 0,
                "{error}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn refusing_server_is_avoided() {
        let server = |status| ClientError::Server {
            status,
            message: String::new(),
        };
        let unavailable = ClientError::ModelUnavailable {
            model: String::new(),
            message: String::new(),
        };
        let table = [
            (unavailable, AVOIDANCE_PERIOD),
            (
                ClientError::protocol("it speaks HTTP/2 alone"),
                AVOIDANCE_PERIOD,
            ),
            (server(Status::Http(429)), LIMIT_AVOIDANCE_PERIOD),
            (server(Status::Http(502)), AVOIDANCE_PERIOD),
            (server(Status::Http(503)), AVOIDANCE_PERIOD),
            (server(Status::Http(504)), Duration::ZERO),
            (server(Status::Grpc(8)), AVOIDANCE_PERIOD),
            (server(Status::Grpc(14)), AVOIDANCE_PERIOD),
            (server(Status::Http(400)), Duration::ZERO),
            (server(Status::Http(500)), Duration::ZERO),
            (server(Status::Grpc(3)), Duration::ZERO),
        ];
        for (error, period) in table {
            let servers = servers(2);
            let mut attempts = 0;
            let response = servers.send(None, within(9), |_| {
                attempts += 1;
                ready(Err::<(), _>(error.clone()))
            });
            assert_eq!(response.await.unwrap_err(), error);
            assert_eq!(attempts, 1, "it has been sent");
            let now = Instant::now();
            let is_avoided = |at| servers.endpoints[0].rank(at).0;
            assert_eq!(is_avoided(now), !period.is_zero(), "{error}");
            assert!(!is_avoided(now + period), "{error}");
        }
    }
}
