use std::collections::VecDeque;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};

use crate::server::connection_state::{ConnectionState, Liveness};
use crate::server::timeouts::Timeouts;
use crate::{Connections, HttpService};

/// The maximum number of connections beyond the limit. A new one replaces the oldest replaceable
/// one.
const MAX_CONNECTIONS: usize = 32;

/// How long a connection cannot be replaced. Its request may take this long to arrive, no matter
/// how many other connections arrive meanwhile.
const NEW_TIME: Duration = Duration::from_secs(1);

/// The maximum number of connections beyond the limit if none of them can be replaced.
const MAX_BUSY_CONNECTIONS: usize = 2048;

/// The maximum duration of each of them.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Serves connections beyond the limit. Health and metrics requests are always served. All others
/// are refused.
#[derive(Debug)]
pub(crate) struct HealthOnlyConnections<S> {
    connections: Connections<S>,
    stop: watch::Receiver<Option<Instant>>,
    tasks: JoinSet<()>,
    open: VecDeque<OpenConnection>,
}

#[derive(Debug)]
struct OpenConnection {
    opened: Instant,
    state: ConnectionState,
    task: AbortHandle,
}

impl OpenConnection {
    /// Returns whether a new connection may replace this one: it is idle and not new.
    fn may_be_replaced(&self) -> bool {
        let liveness = self.state.liveness(Timeouts::only_idle(Duration::ZERO));
        self.opened.elapsed() >= NEW_TIME && matches!(liveness, Liveness::Overdue { .. })
    }
}

impl<S: HttpService> HealthOnlyConnections<S> {
    pub(crate) fn new(
        connections: &Connections<S>,
        limit: u32,
        stop: watch::Receiver<Option<Instant>>,
    ) -> Self {
        Self {
            connections: connections.clone().exhausted(limit),
            stop,
            tasks: JoinSet::new(),
            open: VecDeque::new(),
        }
    }

    pub(crate) fn serve(&mut self, stream: TcpStream) {
        while self.tasks.try_join_next().is_some() {}
        self.open
            .retain(|connection| !connection.task.is_finished());
        while self.open.len() >= MAX_CONNECTIONS {
            let mut open = self.open.iter();
            let replaced = match open.position(OpenConnection::may_be_replaced) {
                None if self.open.len() >= MAX_BUSY_CONNECTIONS => 0,
                None => break,
                Some(position) => position,
            };
            if let Some(connection) = self.open.remove(replaced) {
                connection.task.abort();
            }
        }
        let state = ConnectionState::new();
        let serving =
            self.connections
                .clone()
                .serve_tracked(stream, state.clone(), self.stop.clone());
        let task = self.tasks.spawn(timeout(TIMEOUT, serving).map(drop));
        self.open.push_back(OpenConnection {
            opened: Instant::now(),
            state,
            task,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::Router;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::{ConnectionLimits, Endpoint, ReceiveWindows, TowerService};

    const PROBES: [&str; 2] = ["/live", "/ready"];

    /// A port with two idle connections, at its limit.
    async fn exhausted() -> (SocketAddr, Vec<TcpStream>, watch::Sender<Option<Instant>>) {
        let router = Router::new().fallback(async || "fine");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = ConnectionLimits {
            max_connections: 2,
            ..ConnectionLimits::default()
        };
        let service = TowerService::new(router).health_paths(PROBES);
        let connections = Connections::new(service, &limits, &ReceiveWindows::unlimited());
        let endpoint = Endpoint::new(listener, connections);
        let (stop, stopping) = watch::channel(None);
        tokio::spawn(endpoint.serve(stopping));
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(TcpStream::connect(address).await.unwrap());
        }
        (address, held, stop)
    }

    async fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("{request}\r\nHost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The server closes the connection on its own.
        let read = timeout(TIMEOUT / 2, stream.read_to_string(&mut answer));
        read.await.unwrap().unwrap();
        answer
    }

    #[tokio::test]
    async fn a_new_connection_is_not_replaced_when_many_more_arrive() {
        let (address, mut held, _stop) = exhausted().await;
        let mut probe = TcpStream::connect(address).await.unwrap();
        for _ in 0..4 * MAX_CONNECTIONS {
            held.push(TcpStream::connect(address).await.unwrap());
        }
        let request = b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n";
        probe.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = timeout(TIMEOUT / 2, probe.read_to_string(&mut answer));
        read.await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    #[tokio::test]
    async fn health_requests_are_served_beyond_the_connection_limit() {
        let (address, mut held, _stop) = exhausted().await;
        for _ in 0..3 {
            for probe in PROBES {
                let answer = ask(address, &format!("GET {probe} HTTP/1.1")).await;
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            }
            let answer = ask(address, "POST /v2/models/m/infer HTTP/1.1").await;
            assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
            assert!(answer.contains("already has 2 connections"), "{answer}");
            for _ in 0..MAX_CONNECTIONS {
                held.push(TcpStream::connect(address).await.unwrap());
            }
        }
        drop(held);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let answer = ask(address, "GET /else HTTP/1.1\r\nConnection: close");
        assert!(answer.await.starts_with("HTTP/1.1 200"));
    }
}
