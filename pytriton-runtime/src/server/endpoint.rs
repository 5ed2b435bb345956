use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use super::acceptor::Acceptor;
use super::connection::{Connections, stopped};
use super::reserve::Reserve;

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
        let places = Arc::new(Semaphore::new(self.max_connections as usize));
        let finished = Arc::new(AtomicBool::new(true));
        let serve = |stream: TcpStream, place: OwnedSemaphorePermit| {
            let serving = self.connections.clone().serve(stream, stop.clone());
            let finished = Arc::clone(&finished);
            tokio::spawn(async move {
                finished.fetch_and(serving.await, Ordering::Relaxed);
                drop(place);
            });
        };
        let place = || Arc::clone(&places).try_acquire_owned().ok();
        let mut reserve = Reserve::new(&self.connections, self.max_connections, stop.clone());
        let mut acceptor = Acceptor::new(self.listener);
        let mut stopping = stop.clone();
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => break,
                stream = acceptor.next() => match place() {
                    Some(place) => serve(stream, place),
                    None => reserve.serve(stream),
                },
            }
        }
        // What the system has accepted for us counts as accepted.
        while let Some(place) = place()
            && let Some(stream) = acceptor.waiting().await
        {
            serve(stream, place);
        }
        drop(acceptor);
        // Every connection gives its place back when it ends, by the deadline at the latest.
        let all = places.acquire_many(self.max_connections).await;
        all.is_ok() && finished.load(Ordering::Relaxed)
    }
}
