use std::io;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until, timeout};

use crate::worker::Worker;

use super::drain::{Drain, Hold, Left, Places};
use super::pending::pending_requests;
use super::process::{Delivery, Exit, undelivered};
use super::{Endpoints, Launch, Tritonserver};

/// How often the connections of a stopping server are looked at.
const LOOK: Duration = Duration::from_millis(10);

/// How long before the end of its time a stopping server refuses what waits: for that, there is still time.
const LAST_CALL: Duration = Duration::from_secs(1);

/// How long a server may take to accept nothing more over HTTP. It is busy where it takes longer.
const CLOSING: Duration = Duration::from_secs(1);

/// How much longer than it has a server may take that ends by itself.
const GRACE: Duration = Duration::from_secs(5);

/// How long before the server breaks its connections off by itself the time is over: it has as much from the signal on.
const MARGIN: Duration = Duration::from_millis(50);

/// How often tritonserver is asked how many requests wait in it.
const PENDING_INTERVAL: Duration = Duration::from_millis(100);

/// How a tritonserver was stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stopped {
    /// How it ended.
    pub exit: Exit,
    /// How many connections were closed on which something was still under way, because the time was over.
    pub cut: usize,
    /// How many were closed before, because nothing had moved on them for a while: their clients had streams open over which
    /// they asked nothing, or took nothing of their answers.
    pub broken_off: usize,
    /// Whether it was killed because it did not end by itself in time.
    pub late: bool,
}

/// How this process goes on to send requests to a tritonserver that stops: those that its own ports have accepted.
#[derive(Debug, Clone)]
pub struct OwnConnections {
    /// The addresses, on this side, of connections that are used for several requests.
    pub addresses: Vec<SocketAddr>,
    /// Whether no request comes any more.
    pub finished: Arc<AtomicBool>,
}

impl Default for OwnConnections {
    /// None.
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

/// What is known of the requests that wait inside of tritonserver, and since when.
#[derive(Debug, Default)]
struct Pending(Option<(Instant, Option<u64>)>);

/// What has become of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drained {
    /// All are closed, or deserted.
    All,
    /// So many are not, and there is no more time.
    Cut(usize),
    /// The same, but the server does not come to its end.
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
        let end = deadline.checked_sub(MARGIN).unwrap_or(begun);
        Self {
            server,
            worker,
            launch,
            own,
            begun,
            end: end.max(begun),
        }
    }

    /// Lets the server answer what it has accepted, and ends it.
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
                tracing::debug!(%error, "tritonserver's connections are not known: it has to stop by itself");
                return self.unaided().await;
            }
        }
        tracing::debug!(?drained, "tritonserver is ended");
        stopped.exit = self.server.end().await;
        tracing::debug!(exit = %stopped.exit, "tritonserver has ended");
        stopped
    }

    /// Waits until the server has answered all that it has accepted, and has no connection any more.
    ///
    /// `broken_off` counts those that are closed although a call is open.
    async fn drained(&self, broken_off: &mut usize) -> io::Result<Drained> {
        let process = self.server.id().ok_or(io::ErrorKind::NotFound)?;
        let Endpoints { http, grpc, .. } = self.launch.endpoints;
        let (hold, places) = self.close_http().await;
        let mut held = Some(hold);
        let mut drain = Some(Drain::new(self.server.lender(), process, places));
        let (mut delivery, mut pending) = (Delivery::default(), Pending::default());
        let mut before = None;
        loop {
            let left = apart(&mut drain, Drain::look).await??;
            if before != Some(left) {
                tracing::debug!(?left, "tritonserver's connections");
            }
            // What came in between two looks is seen by the second.
            let gone = |count: fn(Left) -> usize| before.map(count) == Some(0) && count(left) == 0;
            let now = Instant::now();
            let silent = left.is_silent() && self.instances_are_idle();
            let idle = silent
                && apart(&mut drain, Drain::is_idle).await?
                && self.has_no_waiting(&mut pending).await;
            if idle && left.awaited() > 0 {
                *broken_off += apart(&mut drain, Drain::hang_up).await??;
            }
            // What clients that are gone have asked for may be under way; a server that ends by itself awaits that.
            let ended = idle || self.ends_by_itself() || now >= self.end;
            let finished = self.own.finished.load(Ordering::Relaxed) || now >= self.end;
            let empty = finished && (gone(Left::all) || ended && gone(Left::awaited));
            let bytes = || undelivered(process, &[http, grpc]);
            let delivered = empty && delivery.is_over(bytes, now.into_std());
            if now >= self.end && left.awaited() > 0 {
                return Ok(Drained::Cut(left.awaited()));
            } else if !self.ends_by_itself() && (delivered || empty && now >= self.end) {
                return Ok(Drained::All);
            } else if now >= self.end + GRACE {
                return Ok(Drained::Late);
            }
            let come_to_an_end = delivered || self.encrypted() && gone(|left| left.http);
            if come_to_an_end && let Some(hold) = held.take() {
                drop(hold);
                // Where there is HTTP it has been asked.
                if http.is_none() {
                    self.server.terminate();
                }
            }
            if now + LAST_CALL >= self.end {
                self.worker.refuse();
            }
            before = Some(left);
            sleep_until((now + LOOK).min(self.end.max(now + LOOK / 2))).await;
        }
    }

    /// Lets the server accept nothing more over HTTP, keeps it from anything else that it does at its end, and says what
    /// connections there can be.
    async fn close_http(&self) -> (Option<Hold>, Places) {
        let Endpoints {
            http,
            grpc,
            metrics,
        } = self.launch.endpoints;
        let mut places = Places {
            http,
            grpc,
            encrypted: self.encrypted(),
            metrics,
            ours: self.own.addresses.clone(),
            closed: None,
        };
        let Some(http) = http else {
            return (None, places);
        };
        let hold = Hold::new(http).await.ok();
        self.server.terminate();
        if let Some(hold) = &hold {
            places.ours.extend(hold.address());
            // A server that is busy closes later.
            let closed = timeout(CLOSING, hold.alone()).await;
            places.closed = closed.is_ok().then_some(http);
        }
        (hold, places)
    }

    /// Lets the server stop as it does without our help, which keeps it waiting for idle clients.
    async fn unaided(&self) -> Stopped {
        let last_call = async {
            sleep_until(self.end - LAST_CALL).await;
            self.worker.refuse();
            std::future::pending().await
        };
        let time = (self.end + GRACE).saturating_duration_since(Instant::now());
        let exit = tokio::select! {
            exit = self.server.stop(time) => exit,
            exit = last_call => exit,
        };
        // It was killed for that.
        let late = Instant::now() >= self.end + GRACE && exit.status.signal() == Some(9);
        Stopped {
            exit,
            late,
            ..Stopped::default()
        }
    }

    /// Whether the server must come to its end by itself: others' models may have something to do then, traces are written
    /// then, and nobody else can send clients away over connections that are encrypted.
    fn ends_by_itself(&self) -> bool {
        let flags = &self.launch.flags;
        flags.contains("model-repository") || flags.contains("trace-config") || self.encrypted()
    }

    fn encrypted(&self) -> bool {
        let mut values = self.launch.flags.values("grpc-use-ssl");
        values.any(|value| value == "true")
    }

    /// Whether no instance has anything to do. Of the instances of others' models nothing is known.
    fn instances_are_idle(&self) -> bool {
        let ours_alone = !self.launch.flags.contains("model-repository");
        ours_alone && self.worker.quiet(self.begun.into_std(), Duration::ZERO)
    }

    /// Whether no request waits inside of tritonserver for something else than an instance, which is the slot of a sequence.
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
            // Once idle sequences have lost their slots, those that waited have been executed.
            None => {
                let idle = self.worker.longest_sequence_idle();
                self.worker.quiet(self.begun.into_std(), idle)
            }
        }
    }
}

/// Does something with the connections where it keeps nobody else from his work.
async fn apart<T: Send + 'static>(
    drain: &mut Option<Drain>,
    act: impl FnOnce(&mut Drain) -> T + Send + 'static,
) -> io::Result<T> {
    let mut taken = drain.take().ok_or(io::ErrorKind::NotFound)?;
    let (done, taken) = spawn_blocking(move || (act(&mut taken), taken)).await?;
    *drain = Some(taken);
    Ok(done)
}
