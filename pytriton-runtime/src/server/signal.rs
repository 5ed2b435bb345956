use tokio::signal::unix::{Signal, SignalKind, signal};

use super::ServerError;

/// The signals that stop the process.
#[derive(Debug)]
pub(super) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Installs the handlers. From now on, the signals no longer end the process.
    pub(super) fn new() -> Result<Self, ServerError> {
        let listen = |kind| {
            signal(kind).map_err(|source| ServerError::System {
                what: "signal handlers",
                source,
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Returns the name of the next signal.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}
