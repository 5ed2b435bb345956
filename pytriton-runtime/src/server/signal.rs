use std::future::pending;
use std::process;
use std::thread;

use parking_lot::Mutex;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::logging;

use super::ServerError;
use super::blocking::runtime;

/// The maximum number of signals that wait for a server. The second one ends it at once.
const MAX_WAITING: usize = 16;

/// The signals of this process, if their handlers are installed.
static SIGNALS: Mutex<Option<broadcast::Sender<&'static str>>> = Mutex::new(None);

/// The signals that stop the process.
#[derive(Debug)]
pub(super) struct StopSignals(broadcast::Receiver<&'static str>);

impl StopSignals {
    /// Receives the signals from now on. When the last value is dropped, they end the process
    /// again.
    ///
    /// Handlers cannot be removed. Therefore, a thread that lives as long as the process receives
    /// each signal, and either passes it to the servers or ends the process.
    pub(super) fn new() -> Result<Self, ServerError> {
        let mut signals = SIGNALS.lock();
        if let Some(sender) = &*signals {
            return Ok(Self(sender.subscribe()));
        }
        let (sender, receiver) = broadcast::channel(MAX_WAITING);
        spawn(sender.clone())?;
        *signals = Some(sender);
        Ok(Self(receiver))
    }

    /// Returns the name of the next signal.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub(super) async fn next(&mut self) -> &'static str {
        loop {
            match self.0.recv().await {
                Ok(signal) => return signal,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => pending().await,
            }
        }
    }
}

/// Installs the handlers, and starts the thread that receives the signals.
fn spawn(servers: broadcast::Sender<&'static str>) -> Result<(), ServerError> {
    let failed = |source| ServerError::System {
        what: "signal handlers",
        source,
    };
    let here = runtime(&mut Builder::new_current_thread())?;
    let (mut interrupt, mut terminate) = {
        let _here = here.enter();
        let listen = |kind| signal(kind).map_err(failed);
        (
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
        )
    };
    let work = move || {
        here.block_on(async {
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => "SIGINT",
                    _ = terminate.recv() => "SIGTERM",
                };
                if servers.send(signal).is_err() {
                    end(signal);
                }
            }
        })
    };
    let thread = thread::Builder::new().name("signals".to_owned());
    thread.spawn(work).map_err(failed)?;
    Ok(())
}

/// Ends the process after a signal that no server receives.
fn end(signal: &str) -> ! {
    logging::print_error(&format!(
        "error: {signal} was received after the server had ended"
    ));
    process::exit(1)
}
