use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep};

use super::connection::{Connections, stopped};

/// How long to wait when the system has no file descriptor left for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

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
        let serve = |(stream, place): (TcpStream, OwnedSemaphorePermit)| {
            let serving = self.connections.clone().serve(stream, stop.clone());
            let finished = Arc::clone(&finished);
            tokio::spawn(async move {
                finished.fetch_and(serving.await, Ordering::Relaxed);
                drop(place);
            });
        };
        let mut stopping = stop.clone();
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => break,
                accepted = accept(&self.listener, &places) => serve(accepted),
            }
        }
        // What the system has accepted for us counts as accepted.
        while let Some(accepted) = accept_waiting(&self.listener, &places).await {
            serve(accepted);
        }
        drop(self.listener);
        // Every connection gives its place back when it ends, by the deadline at the latest.
        let all = places.acquire_many(self.max_connections).await;
        all.is_ok() && finished.load(Ordering::Relaxed)
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(place) = Arc::clone(places).acquire_owned().await else {
            // The semaphore is never closed.
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) if is_of_the_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept_waiting(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).try_acquire_owned().ok()?;
    tokio::select! {
        biased;
        accepted = listener.accept() => accepted.ok().map(|(stream, _)| (stream, place)),
        () = std::future::ready(()) => None,
    }
}

/// Whether only this one connection failed while it was being accepted.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
