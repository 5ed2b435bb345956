use std::io;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::access::Access;
use crate::panic::panic_message;

use super::engine::Engine;
use super::shutdown_phase::{ShutdownPhase, ShutdownReceiver};
use super::{Addresses, ServerError};

/// A thread that starts, supervises and stops an engine.
#[derive(Debug)]
pub(super) struct Supervisor {
    shutdown: watch::Sender<ShutdownPhase>,
    progress: Arc<Progress>,
    thread: Mutex<Option<JoinHandle<Result<(), ServerError>>>>,
}

/// The progress of an engine.
#[derive(Debug)]
pub(super) struct Progress {
    started: OnceLock<Running>,
    phase: watch::Sender<Phase>,
}

/// An engine that serves.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) addresses: Addresses,
    pub(super) engine: Box<dyn Engine>,
    /// The access control of its ports, if it has ports.
    pub(super) access: Option<Arc<Access>>,
    /// Why this engine was chosen.
    pub(super) reason: String,
}

/// The phase of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Serving,
    Ended,
}

impl Supervisor {
    /// Spawns the thread. `serve` starts an engine and serves until an order to stop arrives.
    pub(super) fn spawn(
        serve: impl FnOnce(ShutdownReceiver, &Progress) -> Result<(), ServerError> + Send + 'static,
    ) -> Result<Arc<Self>, ServerError> {
        let (shutdown, heard) = watch::channel(ShutdownPhase::Serve);
        let progress = Arc::new(Progress {
            started: OnceLock::new(),
            phase: watch::Sender::new(Phase::Starting),
        });
        let ended = Ended(Arc::clone(&progress));
        let work = move || serve(ShutdownReceiver::new(heard), &ended.0);
        let thread = thread::Builder::new().name("supervisor".to_owned());
        let thread = thread.spawn(work).map_err(unusable)?;
        Ok(Arc::new(Self {
            shutdown,
            progress,
            thread: Mutex::new(Some(thread)),
        }))
    }

    /// Subscribes to the phase of the engine.
    pub(super) fn phase(&self) -> watch::Receiver<Phase> {
        self.progress.phase.subscribe()
    }

    /// Returns whether the engine has ended, for any reason.
    pub(super) fn ended(&self) -> bool {
        *self.progress.phase.borrow() == Phase::Ended
    }

    /// Returns the engine, once it serves.
    pub(super) fn started(&self) -> Option<&Running> {
        self.progress.started.get()
    }

    /// Sends an order. An order that is less far-reaching than the current one is ignored.
    pub(super) fn order(&self, order: ShutdownPhase) {
        self.shutdown.send_if_modified(|current| {
            let further = order > *current;
            if further {
                *current = order;
            }
            further
        });
    }

    /// Waits until the engine has ended. Only the first caller receives its error.
    pub(super) fn join(&self) -> Result<(), ServerError> {
        // The lock makes concurrent callers wait for the first one.
        let mut thread = self.thread.lock();
        match thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(panic)) => Err(unusable(io::Error::other(panic_message(panic.as_ref())))),
        }
    }
}

impl Progress {
    /// Records that the engine serves.
    pub(super) fn serving(&self, started: Running) {
        self.started.get_or_init(|| started);
        self.phase.send_replace(Phase::Serving);
    }
}

/// Sets the phase to `Ended` when the thread ends, even by a panic.
struct Ended(Arc<Progress>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.phase.send_replace(Phase::Ended);
    }
}

fn unusable(source: io::Error) -> ServerError {
    ServerError::System {
        what: "the server's thread",
        source,
    }
}
