use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

use super::acceptor::Acceptor;
use super::connection::{Connections, stopped};
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
        let finished = Arc::new(AtomicBool::new(true));
        let serve = |places: &mut Places, stream: TcpStream, place: OwnedSemaphorePermit| {
            let traffic = Traffic::new();
            let connections = self.connections.clone();
            let serving = connections.serve(stream, traffic.clone(), stop.clone());
            let finished = Arc::clone(&finished);
            let connection = tokio::spawn(async move {
                finished.fetch_and(serving.await, Ordering::Relaxed);
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
        places.all_free().await && finished.load(Ordering::Relaxed)
    }
}
