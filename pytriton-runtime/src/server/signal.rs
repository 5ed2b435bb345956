use tokio::signal::unix::{Signal, SignalKind, signal};

use super::ServerError;

/// The signals that ask the process to stop.
#[derive(Debug)]
pub(super) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// From now on the signals do not end the process, they are heard here.
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

    /// The name of the next signal.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}
