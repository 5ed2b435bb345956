use std::io::{self, IsTerminal};
use std::mem;
use std::ops::ControlFlow;
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::logging;

use super::banner::banner;
use super::blocking::{on_new_thread, runtime};
use super::cli::{Hooks, StopHooks};
use super::error::first_error;
use super::ffi::outlive_file_size_limits;
use super::run::print;
use super::shutdown_phase::ShutdownPhase;
use super::signal::StopSignals;
use super::supervisor::{Phase, Supervisor};
use super::{ServerError, Triton};

/// The origin of a stop after the program's own start failed.
const START_HOOK: &str = "a failed start hook";

impl Triton {
    /// Serves until SIGINT, SIGTERM or a call of [`stop`](Self::stop). `pytriton::main!` calls this
    /// method.
    ///
    /// Starts the server if it is not running, initializes logging if the program has not done so,
    /// and prints the addresses. A second signal ends the server at once.
    ///
    /// After this method has returned, either signal ends the process with exit code 1. A program
    /// that handles signals itself calls [`run`](Self::run) and [`stop`](Self::stop) instead.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run) and [`stop`](Self::stop). Returns [`ServerError::Interrupted`] after a
    /// second signal.
    pub fn serve(&self) -> Result<(), ServerError> {
        self.serve_with(Hooks::default())
    }

    /// Serves, and calls functions of the program at start and stop.
    pub(super) fn serve_with(&self, hooks: Hooks) -> Result<(), ServerError> {
        let traces = self.options.traces_exporter;
        let export = logging::init(&self.options.log_settings(), traces);
        let _export = export.map_err(ServerError::Traces)?;
        outlive_file_size_limits();
        let done = on_new_thread(|| self.serve_here(hooks));
        // The process may exit next.
        logging::flush();
        done
    }

    fn serve_here(&self, hooks: Hooks) -> Result<(), ServerError> {
        // No model can be bound until the server serves.
        let models = self.lock_models();
        // Signal handlers are not installed yet, so that signals end the process even if the probe
        // of tritonserver hangs.
        let choice = match self.serving() {
            Some(_) => None,
            None => Some(self.choose(true)?),
        };
        let here = runtime(&mut Builder::new_current_thread())?;
        let mut signals = StopSignals::new()?;
        let supervisor = match choice {
            Some(choice) => Some(self.begin(&models, choice, true)?),
            None => self.serving(),
        };
        let Some(supervisor) = supervisor else {
            // The server has ended meanwhile.
            return Ok(());
        };
        let mut stopping = false;
        here.block_on(watch(
            &supervisor,
            &mut signals,
            &mut stopping,
            Phase::Serving,
        ));
        let (begun, stop) = match supervisor.started() {
            Some(started) => {
                print(&banner(
                    &models.served(),
                    started,
                    io::stdout().is_terminal(),
                ));
                hooks.started(started)
            }
            None => (Ok(()), StopHooks::default()),
        };
        drop(models);
        if begun.is_err() {
            stopping = true;
            supervisor.order(ShutdownPhase::Stop(START_HOOK));
        }
        here.block_on(watch(
            &supervisor,
            &mut signals,
            &mut stopping,
            Phase::Ended,
        ));
        let done = supervisor.join();
        self.forget(&supervisor);
        let signalled = stopping && begun.is_ok();
        let stopped = here.block_on(call_stop_hooks(stop, &mut signals, signalled));
        first_error([begun, done, stopped])
    }
}

/// Calls the functions for the stop on a thread of their own. Returns an error if a signal arrives
/// before they return, and another one has arrived before it.
async fn call_stop_hooks(
    hooks: StopHooks,
    signals: &mut StopSignals,
    mut signalled: bool,
) -> Result<(), ServerError> {
    if hooks.is_empty() {
        return Ok(());
    }
    let (done, mut result) = oneshot::channel();
    let thread = thread::Builder::new().name("stop_hooks".to_owned());
    // If the receiver is gone, the process ends.
    let spawned = thread.spawn(move || drop(done.send(hooks.stopped())));
    spawned.map_err(|source| ServerError::System {
        what: "the thread of the stop hooks",
        source,
    })?;
    loop {
        tokio::select! {
            biased;
            // The functions cannot panic, but dropping what they own can.
            done = &mut result => return done.unwrap_or_else(|_| Err(failed("it panicked"))),
            signal = signals.next() => {
                if mem::replace(&mut signalled, true) {
                    let message = format!("{signal} was received again before it returned");
                    return Err(failed(&message));
                }
            }
        }
    }
}

fn failed(message: &str) -> ServerError {
    ServerError::Hook {
        hook: "stop",
        source: message.into(),
    }
}

/// Forwards signals to a server until it reaches the phase `until`.
async fn watch(
    supervisor: &Supervisor,
    signals: &mut StopSignals,
    stopping: &mut bool,
    until: Phase,
) {
    let mut phase = supervisor.phase();
    loop {
        let reached = async {
            // If the sender is gone, the server has ended.
            let _ = phase
                .wait_for(|phase| *phase == until || *phase == Phase::Ended)
                .await;
        };
        let step = tokio::select! {
            () = reached => ControlFlow::Break(()),
            signal = signals.next() => ControlFlow::Continue(signal),
        };
        match step {
            ControlFlow::Break(()) => return,
            ControlFlow::Continue(signal) if *stopping => {
                supervisor.order(ShutdownPhase::Abandon(signal))
            }
            ControlFlow::Continue(signal) => {
                *stopping = true;
                supervisor.order(ShutdownPhase::Stop(signal));
            }
        }
    }
}
