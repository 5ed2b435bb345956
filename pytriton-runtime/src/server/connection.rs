use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep};

use crate::limits::Limits;

/// How long to wait when the system has no file descriptor left for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// How often an idle HTTP/2 connection is asked whether it is still there, and how long it has to answer.
const HTTP2_PING: Duration = Duration::from_secs(20);

/// The window of an HTTP/2 connection and of each of its streams: a tensor of some MiB needs few round trips.
const HTTP2_WINDOW: u32 = 4 << 20;

/// Which protocols a port speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
    Both,
}

/// One open port and what answers on it.
pub(super) struct Endpoint {
    pub(super) listener: TcpListener,
    pub(super) protocol: Protocol,
    pub(super) router: Router,
}

impl Endpoint {
    /// Serves connections until `stop` says so, then closes the port and lets each connection finish what it has
    /// begun, until `deadline` at the latest.
    ///
    /// Returns whether all connections finished.
    pub(super) async fn serve(
        self,
        limits: Limits,
        mut stop: watch::Receiver<Option<Instant>>,
    ) -> bool {
        let builder = builder(self.protocol, &limits);
        let connections = Arc::new(Semaphore::new(limits.max_connections));
        let graceful = GracefulShutdown::new();
        let serve = |stream: TcpStream, permit: OwnedSemaphorePermit| {
            let connection = connection(
                builder.clone(),
                self.router.clone(),
                stream,
                graceful.watcher(),
            );
            tokio::spawn(async move {
                connection.await;
                drop(permit);
            });
        };
        let deadline = loop {
            tokio::select! {
                biased;
                deadline = stopped(&mut stop) => break deadline,
                (stream, permit) = accept(&self.listener, &connections) => serve(stream, permit),
            }
        };
        // What the system has accepted for us counts as accepted.
        while let Some((stream, permit)) = accept_waiting(&self.listener, &connections).await {
            serve(stream, permit);
        }
        drop(self.listener);
        tokio::time::timeout_at(deadline, graceful.shutdown())
            .await
            .is_ok()
    }
}

/// Waits until the server is told to stop, and says until when connections may finish.
async fn stopped(stop: &mut watch::Receiver<Option<Instant>>) -> Instant {
    match stop.wait_for(Option::is_some).await {
        Ok(deadline) => deadline.unwrap_or_else(Instant::now),
        // Nobody is left who could tell: the server is gone.
        Err(_) => Instant::now(),
    }
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = Arc::clone(connections).acquire_owned().await else {
            // The semaphore is never closed.
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
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
    connections: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(connections).try_acquire_owned().ok()?;
    tokio::select! {
        biased;
        accepted = listener.accept() => accepted.ok().map(|(stream, _)| (stream, permit)),
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

fn builder(protocol: Protocol, limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    let header_bytes = u32::try_from(limits.max_header_bytes).unwrap_or(u32::MAX);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .auto_date_header(false)
        .title_case_headers(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .max_concurrent_streams(limits.max_concurrent_streams)
        .max_header_list_size(header_bytes)
        .keep_alive_interval(HTTP2_PING)
        .keep_alive_timeout(HTTP2_PING)
        .initial_stream_window_size(HTTP2_WINDOW)
        .initial_connection_window_size(HTTP2_WINDOW);
    match protocol {
        Protocol::Http1 => builder.http1_only(),
        Protocol::Http2 => builder.http2_only(),
        Protocol::Both => builder,
    }
}

fn connection(
    builder: Builder<TokioExecutor>,
    router: Router,
    stream: TcpStream,
    watcher: Watcher,
) -> impl Future<Output = ()> {
    // Small answers must not wait for more: the option only fails on a connection that is gone already.
    let _ = stream.set_nodelay(true);
    async move {
        let service = TowerToHyperService::new(router);
        let connection = builder
            .serve_connection(TokioIo::new(stream), service)
            .into_owned();
        if let Err(error) = watcher.watch(connection).await {
            // A client that breaks its connection off, or sends what is no HTTP, is everyday life.
            tracing::debug!(%error, "connection ended early");
        }
    }
}
