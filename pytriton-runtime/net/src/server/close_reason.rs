use tokio::sync::watch;
use tokio::time::Instant;

use crate::server::connection_state::{ConnectionState, IdleReason};
use crate::server::stop::stopped;
use crate::server::timeouts::Timeouts;

/// Why a connection accepts no further requests.
pub(crate) enum CloseReason {
    /// The server stops. Connections may finish until then.
    Stop(Instant),
    Overdue(IdleReason),
}

/// Waits until the server stops or the connection is overdue.
pub(crate) async fn closing(
    stop: &mut watch::Receiver<Option<Instant>>,
    state: &ConnectionState,
    timeouts: Timeouts,
) -> CloseReason {
    tokio::select! {
        biased;
        deadline = stopped(stop) => CloseReason::Stop(deadline),
        reason = state.overdue(timeouts) => CloseReason::Overdue(reason),
    }
}

/// Like [`closing`]. Returns `None` if the connection is retired first.
pub(crate) async fn closing_or_retired(
    stop: &mut watch::Receiver<Option<Instant>>,
    state: &ConnectionState,
    timeouts: Timeouts,
) -> Option<CloseReason> {
    tokio::select! {
        biased;
        reason = closing(stop, state, timeouts) => Some(reason),
        () = state.retired() => None,
    }
}
