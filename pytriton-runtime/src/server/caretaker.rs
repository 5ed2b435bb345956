use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::watch;

use crate::call::panic_message;
use crate::engine::Choice;
use crate::registry::Registry;

use super::order::{Order, Orders};
use super::started::Started;
use super::{Options, ServerError};

/// What is to be served, and how.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) registry: Registry,
    pub(super) options: Options,
    pub(super) choice: Choice,
    /// Whether ports are opened; otherwise a router is all that answers.
    pub(super) ports: bool,
}

/// A thread that starts an engine, looks after it and stops it, and what others know of it.
#[derive(Debug)]
pub(super) struct Caretaker {
    orders: watch::Sender<Order>,
    progress: Arc<Progress>,
    thread: Mutex<Option<JoinHandle<Result<(), ServerError>>>>,
}

/// How far an engine has come.
#[derive(Debug)]
pub(super) struct Progress {
    started: OnceLock<Started>,
    phase: watch::Sender<Phase>,
}

/// The life of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Starting,
    Serving,
    Ended,
}

impl Caretaker {
    /// Begins to start an engine.
    pub(super) fn spawn(plan: Plan) -> Result<Arc<Self>, ServerError> {
        let (orders, heard) = watch::channel(Order::Serve);
        let progress = Arc::new(Progress {
            started: OnceLock::new(),
            phase: watch::Sender::new(Phase::Starting),
        });
        let ended = Ended(Arc::clone(&progress));
        let work = move || take_care(&plan, Orders::new(heard), &ended.0);
        let thread = thread::Builder::new().name("caretaker".to_owned());
        let thread = thread.spawn(work).map_err(unusable)?;
        Ok(Arc::new(Self {
            orders,
            progress,
            thread: Mutex::new(Some(thread)),
        }))
    }

    /// How far it has come, and will.
    pub(super) fn phase(&self) -> watch::Receiver<Phase> {
        self.progress.phase.subscribe()
    }

    /// Whether it has ended, for whatever reason.
    pub(super) fn ended(&self) -> bool {
        *self.progress.phase.borrow() == Phase::Ended
    }

    /// The engine, once it serves.
    pub(super) fn started(&self) -> Option<&Started> {
        self.progress.started.get()
    }

    /// Tells it what to do; it goes no way back.
    pub(super) fn order(&self, order: Order) {
        self.orders.send_if_modified(|current| {
            let further = order > *current;
            if further {
                *current = order;
            }
            further
        });
    }

    /// Waits until it has ended. Why it did is told once.
    pub(super) fn join(&self) -> Result<(), ServerError> {
        // Whoever comes second waits for whoever is first.
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        match thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(done)) => done,
            Some(Err(panic)) => Err(unusable(io::Error::other(panic_message(panic.as_ref())))),
        }
    }
}

impl Progress {
    /// The engine serves from now on.
    pub(super) fn serving(&self, started: Started) {
        self.started.get_or_init(|| started);
        self.phase.send_replace(Phase::Serving);
    }
}

/// Says so when the thread has ended, however it does.
struct Ended(Arc<Progress>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.phase.send_replace(Phase::Ended);
    }
}

fn take_care(plan: &Plan, orders: Orders, progress: &Progress) -> Result<(), ServerError> {
    tracing::debug!(ports = plan.ports, "starting");
    match &plan.choice {
        #[cfg(feature = "embedded")]
        Choice::Embedded(_) => super::embedded::serve(plan, orders, progress),
        #[cfg(tritonserver)]
        Choice::Tritonserver(located, probe) => {
            super::tritonserver::serve(plan, located, probe, orders, progress)
        }
    }
}

fn unusable(source: io::Error) -> ServerError {
    ServerError::System {
        what: "the server's thread",
        source,
    }
}
