use std::io;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};

use crate::worker::Worker;

use super::drain::{Drain, DrainEndpoints, HeldConnection, OpenConnections};
use super::pending::pending_requests;
use super::process::{Delivery, ExitReport, undelivered};
use super::{Endpoints, Launch, Tritonserver};

/// The interval at which the connections of a stopping server are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long before the deadline a stopping server refuses queued requests, so that the refusals are
/// still sent.
const REFUSAL_LEAD_TIME: Duration = Duration::from_secs(1);

/// The timeout for a server to stop accepting HTTP. A busy server takes longer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long after the deadline a server that exits on its own is killed.
const KILL_DELAY: Duration = Duration::from_secs(5);

/// The time between our deadline and the server's own, which starts with the signal. At its own
/// deadline the server breaks connections off.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// The interval at which tritonserver is polled for its queued requests.
const PENDING_INTERVAL: Duration = Duration::from_millis(100);

/// The result of stopping a tritonserver.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Its exit status and last messages.
    pub exit: ExitReport,
    /// The number of connections that were cut at the deadline although they were in use.
    pub cut: usize,
    /// The number of connections that were closed earlier because they were silent. Their clients
    /// had idle streams open, or did not read their responses.
    pub broken_off: usize,
    /// Whether the server was killed because it did not exit in time.
    pub late: bool,
}

/// Describes the connections over which this process still sends requests to a stopping
/// tritonserver, on behalf of its own ports.
#[derive(Debug, Clone)]
pub struct OwnConnections {
    /// The local addresses of the connections that are used for several requests.
    pub addresses: Vec<SocketAddr>,
    /// Whether no more requests follow.
    pub finished: Arc<AtomicBool>,
}

impl Default for OwnConnections {
    /// No connections.
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            finished: Arc::new(AtomicBool::new(true)),
        }
    }
}

/// A tritonserver that is being stopped.
#[derive(Debug)]
pub(super) struct Stopping<'a> {
    server: &'a Tritonserver,
    worker: &'a Worker,
    launch: &'a Launch,
    own: OwnConnections,
    begun: Instant,
    end: Instant,
}

/// The last known number of queued requests in tritonserver, and its time.
#[derive(Debug, Default)]
struct Pending(Option<(Instant, Option<u64>)>);

/// The result of draining the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drained {
    /// All are closed, or their clients are gone.
    All,
    /// That many are still open at the deadline.
    Cut(usize),
    /// All are closed, but the server does not exit.
    Late,
}

impl<'a> Stopping<'a> {
    pub(super) fn new(
        server: &'a Tritonserver,
        worker: &'a Worker,
        launch: &'a Launch,
        deadline: Instant,
        own: OwnConnections,
    ) -> Self {
        let begun = Instant::now();
        let end = deadline.checked_sub(DEADLINE_MARGIN).unwrap_or(begun);
        Self {
            server,
            worker,
            launch,
            own,
            begun,
            end: end.max(begun),
        }
    }

    /// Lets the server respond to accepted requests, then stops it.
    pub(super) async fn stop(self) -> Stopped {
        let mut stopped = Stopped::default();
        let drained = tokio::select! {
            exit = self.server.exited() => return Stopped { exit, ..stopped },
            drained = self.drained(&mut stopped.broken_off) => drained,
        };
        match &drained {
            Ok(Drained::All) => {}
            Ok(Drained::Cut(cut)) => stopped.cut = *cut,
            Ok(Drained::Late) => stopped.late = true,
            Err(error) => {
                tracing::debug!(%error, "cannot list tritonserver's connections; waiting for it to stop on its own");
                return self.unaided().await;
            }
        }
        tracing::debug!(?drained, "stopping tritonserver");
        stopped.exit = self.server.end().await;
        tracing::debug!(exit = %stopped.exit, "tritonserver has exited");
        stopped
    }

    /// Waits until the server has responded to all accepted requests and has no connections left.
    ///
    /// `broken_off` counts the connections that are closed although a call is open.
    async fn drained(&self, broken_off: &mut usize) -> io::Result<Drained> {
        let process = self.server.id().ok_or(io::ErrorKind::NotFound)?;
        let Endpoints { http, grpc, .. } = self.launch.endpoints;
        let fd_channel = self.server.fd_channel();
        let mut drain = Some(Drain::new(fd_channel, process, self.drain_endpoints()));
        // tritonserver closes its HTTP port itself, which can take seconds. The other ports must
        // not accept requests meanwhile.
        on_blocking_thread(&mut drain, Drain::poll).await??;
        let mut held = Some(self.close_http(drain.as_mut()).await);
        let (mut delivery, mut pending) = (Delivery::default(), Pending::default());
        let mut before = None;
        loop {
            let left = on_blocking_thread(&mut drain, Drain::poll).await??;
            if before != Some(left) {
                tracing::debug!(?left, "tritonserver's connections");
            }
            // A connection that was accepted between two polls is seen by the second.
            let none_left = |count: fn(OpenConnections) -> usize| {
                before.map(count) == Some(0) && count(left) == 0
            };
            let now = Instant::now();
            let silent = left.is_silent() && self.instances_are_idle();
            let idle = silent
                && on_blocking_thread(&mut drain, Drain::is_idle).await?
                && self.has_no_waiting(&mut pending).await;
            if idle && left.awaited() > 0 {
                *broken_off += on_blocking_thread(&mut drain, Drain::close_silent).await??;
            }
            // Requests of clients that are gone may still run. A server that exits on its own waits
            // for them.
            let ended = idle || self.must_exit_itself() || now >= self.end;
            let finished = self.own.finished.load(Ordering::Relaxed) || now >= self.end;
            let empty = finished
                && (none_left(OpenConnections::all)
                    || ended && none_left(OpenConnections::awaited));
            let bytes = || undelivered(process, &[http, grpc]);
            let delivered = empty && delivery.is_over(bytes, now.into_std());
            if now >= self.end && left.awaited() > 0 {
                return Ok(Drained::Cut(left.awaited()));
            } else if !self.must_exit_itself() && (delivered || empty && now >= self.end) {
                return Ok(Drained::All);
            } else if now >= self.end + KILL_DELAY {
                return Ok(Drained::Late);
            }
            let drained = delivered || self.encrypted() && none_left(|left| left.http);
            if drained && let Some(hold) = held.take() {
                drop(hold);
                // With HTTP, the signal was already sent.
                if http.is_none() {
                    self.server.terminate();
                }
            }
            if now + REFUSAL_LEAD_TIME >= self.end {
                self.worker.refuse();
            }
            before = Some(left);
            sleep_until((now + POLL_INTERVAL).min(self.end.max(now + POLL_INTERVAL / 2))).await;
        }
    }

    fn drain_endpoints(&self) -> DrainEndpoints {
        let Endpoints {
            http,
            grpc,
            metrics,
        } = self.launch.endpoints;
        DrainEndpoints {
            http,
            grpc,
            encrypted: self.encrypted(),
            metrics,
            ours: self.own.addresses.clone(),
        }
    }

    /// Makes the server stop accepting HTTP, and keeps it in that phase of its shutdown.
    async fn close_http(&self, drain: Option<&mut Drain>) -> Option<HeldConnection> {
        let (http, drain) = self.launch.endpoints.http.zip(drain)?;
        let hold = HeldConnection::new(http).await.ok();
        self.server.terminate();
        let hold = hold?;
        if let Some(address) = hold.address() {
            drain.exclude(address);
        }
        // A busy server stops accepting later.
        if timeout(CLOSE_TIMEOUT, hold.wait_until_refused())
            .await
            .is_ok()
        {
            drain.http_closed();
        }
        Some(hold)
    }

    /// Lets the server stop on its own. It then waits for idle clients.
    async fn unaided(&self) -> Stopped {
        let refusal = async {
            sleep_until(self.end - REFUSAL_LEAD_TIME).await;
            self.worker.refuse();
            std::future::pending().await
        };
        let time = (self.end + KILL_DELAY).saturating_duration_since(Instant::now());
        let exit = tokio::select! {
            exit = self.server.stop(time) => exit,
            exit = refusal => exit,
        };
        // It was killed because it was late.
        let late = Instant::now() >= self.end + KILL_DELAY && exit.status.signal() == Some(9);
        Stopped {
            exit,
            late,
            ..Stopped::default()
        }
    }

    /// Returns whether the server must exit on its own. This is the case if other models may have
    /// cleanup to do, or if traces have to be written. It is also the case if connections are
    /// encrypted, because only the server can then send `GOAWAY`.
    fn must_exit_itself(&self) -> bool {
        let flags = &self.launch.flags;
        flags.contains("model-repository") || flags.contains("trace-config") || self.encrypted()
    }

    fn encrypted(&self) -> bool {
        let mut values = self.launch.flags.values("grpc-use-ssl");
        values.any(|value| value == "true")
    }

    /// Returns whether no instance is busy. The state of instances of other models is unknown.
    fn instances_are_idle(&self) -> bool {
        let only_ours = !self.launch.flags.contains("model-repository");
        only_ours && self.worker.is_idle(self.begun.into_std(), Duration::ZERO)
    }

    /// Returns whether no request in tritonserver waits for anything but an instance, such as a
    /// sequence slot.
    async fn has_no_waiting(&self, known: &mut Pending) -> bool {
        let now = Instant::now();
        let recent = known.0.filter(|(at, _)| now < *at + PENDING_INTERVAL);
        let pending = match (recent, self.launch.endpoints.metrics) {
            (Some((_, pending)), _) => pending,
            (None, Some(metrics)) => pending_requests(metrics).await,
            (None, None) => None,
        };
        if recent.is_none() {
            known.0 = Some((now, pending));
        }
        match pending {
            Some(pending) => pending == 0,
            // After this time idle sequences have lost their slots, so requests that waited for one
            // have run.
            None => {
                let idle = self.worker.longest_sequence_idle();
                self.worker.is_idle(self.begun.into_std(), idle)
            }
        }
    }
}

/// Runs a blocking action on the connections outside the async threads.
async fn on_blocking_thread<T: Send + 'static>(
    drain: &mut Option<Drain>,
    act: impl FnOnce(&mut Drain) -> T + Send + 'static,
) -> io::Result<T> {
    let mut taken = drain.take().ok_or(io::ErrorKind::NotFound)?;
    let (done, taken) = spawn_blocking(move || (act(&mut taken), taken)).await?;
    *drain = Some(taken);
    Ok(done)
}
