use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use crate::server::acceptor::Acceptor;
use crate::server::connection_limit::ConnectionLimit;
use crate::server::connection_state::ConnectionState;
use crate::server::health_only_connections::HealthOnlyConnections;
use crate::server::stop::stopped;
use crate::{Connections, Ending, HttpService};

/// An open port and its service.
#[derive(Debug)]
pub struct Endpoint<S> {
    listener: TcpListener,
    connections: Connections<S>,
}

impl<S: HttpService> Endpoint<S> {
    /// Serves the connections of a listener.
    pub fn new(listener: TcpListener, connections: Connections<S>) -> Self {
        Self {
            listener,
            connections,
        }
    }

    /// Serves connections until `stop` is set, then closes the port. Each connection completes the
    /// requests that it has received.
    ///
    /// Returns whether all connections finished in time.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the port, and its connections stay open until they end.
    pub async fn serve(self, stop: watch::Receiver<Option<Instant>>) -> bool {
        let ended = Arc::new(Ended::default());
        let serve = |limit: &mut ConnectionLimit, stream: TcpStream, permit| {
            let state = ConnectionState::new();
            let connections = self.connections.clone();
            let serving = connections.serve_tracked(stream, state.clone(), stop.clone());
            let ended = Arc::clone(&ended);
            let task = tokio::spawn(async move {
                ended.count(serving.await);
                drop::<OwnedSemaphorePermit>(permit);
            });
            limit.add(state, task.abort_handle());
        };
        let max_connections = self.connections.limits().max_connections;
        let mut limit = ConnectionLimit::new(max_connections);
        let mut health_only =
            HealthOnlyConnections::new(&self.connections, max_connections, stop.clone());
        let mut acceptor = Acceptor::new(self.listener);
        let mut stopping = stop.clone();
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => break,
                stream = acceptor.next() => match limit.acquire().await {
                    Some(permit) => serve(&mut limit, stream, permit),
                    None => health_only.serve(stream),
                },
            }
        }
        // Connections that are in the listen queue count as accepted.
        while let Some(permit) = limit.try_acquire()
            && let Some(stream) = acceptor.waiting().await
        {
            serve(&mut limit, stream, permit);
        }
        drop(acceptor);
        // Every connection returns its permit when it ends, at the deadline at the latest.
        let in_time = limit.all_returned().await;
        let unread = ended.unread.load(Ordering::Relaxed);
        if unread > 0 {
            tracing::warn!(
                connections = unread,
                "closed connections whose clients did not read their responses"
            );
        }
        in_time && ended.cut.load(Ordering::Relaxed) == 0
    }
}

/// The number of connections that did not end by themselves.
#[derive(Debug, Default)]
struct Ended {
    unread: AtomicUsize,
    cut: AtomicUsize,
}

impl Ended {
    fn count(&self, ending: Ending) {
        let count = match ending {
            Ending::Itself => return,
            Ending::Unread => &self.unread,
            Ending::Cut => &self.cut,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}
