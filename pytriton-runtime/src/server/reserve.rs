use std::collections::VecDeque;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::connection::Connections;
use super::traffic::Traffic;

/// How many connections beyond the limit are served at a time; the next takes the place of the oldest, unless that is new.
const PLACES: usize = 32;

/// How long a connection is new: so long its question may take to come, however many others come meanwhile.
const NEW: Duration = Duration::from_secs(1);

/// How many there are at the most, new ones or not.
const MOST: usize = 2048;

/// How long each of them lasts at the most.
const TIME: Duration = Duration::from_secs(5);

/// Serves connections beyond the limit: whoever asks how the server is gets an answer whatever else happens.
#[derive(Debug)]
pub(super) struct Reserve {
    connections: Connections,
    stop: watch::Receiver<Option<Instant>>,
    serving: JoinSet<()>,
    order: VecDeque<(Instant, AbortHandle)>,
}

impl Reserve {
    pub(super) fn new(
        connections: &Connections,
        limit: u32,
        stop: watch::Receiver<Option<Instant>>,
    ) -> Self {
        Self {
            connections: connections.clone().exhausted(limit),
            stop,
            serving: JoinSet::new(),
            order: VecDeque::new(),
        }
    }

    pub(super) fn serve(&mut self, stream: TcpStream) {
        while self.serving.try_join_next().is_some() {}
        self.order.retain(|(_, serving)| !serving.is_finished());
        while let Some((since, oldest)) = self.order.front()
            && self.order.len() >= PLACES
            && (since.elapsed() >= NEW || self.order.len() >= MOST)
        {
            oldest.abort();
            self.order.pop_front();
        }
        let connections = self.connections.clone();
        let serving = connections.serve(stream, Traffic::new(), self.stop.clone());
        let serving = self.serving.spawn(timeout(TIME, serving).map(drop));
        self.order.push_back((Instant::now(), serving));
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::Router;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::super::connection::Protocol;
    use super::super::door::Rooms;
    use super::super::endpoint::Endpoint;
    use super::*;
    use crate::Limits;

    /// A port with two connections, on which nothing comes.
    async fn exhausted() -> (SocketAddr, Vec<TcpStream>, watch::Sender<Option<Instant>>) {
        let router = Router::new().fallback(async || "fine");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = Endpoint {
            listener,
            connections: Connections::new(
                Protocol::Both,
                &Limits::default(),
                Rooms::Routes(router),
            ),
            max_connections: 2,
        };
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
        // Nobody asks for the end of the connection.
        let read = timeout(TIME / 2, stream.read_to_string(&mut answer));
        read.await.unwrap().unwrap();
        answer
    }

    #[tokio::test]
    async fn who_is_new_keeps_its_place_when_many_more_come() {
        let (address, mut held, _stop) = exhausted().await;
        let mut probe = TcpStream::connect(address).await.unwrap();
        for _ in 0..4 * PLACES {
            held.push(TcpStream::connect(address).await.unwrap());
        }
        let request = b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n";
        probe.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = timeout(TIME / 2, probe.read_to_string(&mut answer));
        read.await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    #[tokio::test]
    async fn probes_are_answered_when_there_are_too_many_connections() {
        let (address, mut held, _stop) = exhausted().await;
        for _ in 0..3 {
            for probe in ["/v2/health/ready", "/v2", "/v2/models/m/ready", "/metrics"] {
                let answer = ask(address, &format!("GET {probe} HTTP/1.1")).await;
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            }
            let answer = ask(address, "POST /v2/models/m/infer HTTP/1.1").await;
            assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
            assert!(answer.contains("has 2 connections already"), "{answer}");
            for _ in 0..PLACES {
                held.push(TcpStream::connect(address).await.unwrap());
            }
        }
        drop(held);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let answer = ask(address, "GET /else HTTP/1.1\r\nConnection: close");
        assert!(answer.await.starts_with("HTTP/1.1 200"));
    }
}
