use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::acceptor::Acceptor;
use super::connection::{Connections, Ending, stopped};
use super::places::Places;
use super::reserve::Reserve;
use super::traffic::Traffic;

/// One open port and what answers on it.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) listener: TcpListener,
    pub(super) connections: Connections,
    pub(super) max_connections: u32,
}

impl Endpoint {
    /// Serves connections until `stop` says so, then closes the port and lets each connection finish what it has
    /// begun.
    ///
    /// Returns whether all connections finished in time.
    pub(super) async fn serve(self, stop: watch::Receiver<Option<Instant>>) -> bool {
        let ended = Arc::new(Ended::default());
        let serve = |places: &mut Places, stream: TcpStream, place: OwnedSemaphorePermit| {
            let traffic = Traffic::new();
            let connections = self.connections.clone();
            let serving = connections.serve(stream, traffic.clone(), stop.clone());
            let ended = Arc::clone(&ended);
            let connection = tokio::spawn(async move {
                ended.count(serving.await);
                drop(place);
            });
            places.remember(traffic, connection.abort_handle());
        };
        let mut places = Places::new(self.max_connections);
        let mut reserve = Reserve::new(&self.connections, self.max_connections, stop.clone());
        let mut acceptor = Acceptor::new(self.listener);
        let mut stopping = stop.clone();
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => break,
                stream = acceptor.next() => match places.take().await {
                    Some(place) => serve(&mut places, stream, place),
                    None => reserve.serve(stream),
                },
            }
        }
        // What the system has accepted for us counts as accepted.
        while let Some(place) = places.free()
            && let Some(stream) = acceptor.waiting().await
        {
            serve(&mut places, stream, place);
        }
        drop(acceptor);
        // Every connection gives its place back when it ends, by the deadline at the latest.
        let in_time = places.all_free().await;
        let unread = ended.unread.load(Ordering::Relaxed);
        if unread > 0 {
            tracing::warn!(
                connections = unread,
                "connections were closed whose clients did not take their answers"
            );
        }
        in_time && ended.cut.load(Ordering::Relaxed) == 0
    }
}

/// How many connections have ended otherwise than by themselves.
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
