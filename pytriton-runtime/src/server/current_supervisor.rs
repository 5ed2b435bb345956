use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;

use super::ServerError;
use super::blocking::wait;
use super::shutdown_phase::{ShutdownPhase, ShutdownReceiver};
use super::supervisor::{Phase, Progress, Supervisor};

/// How long a server that is dropped blocks a runtime. After that, it ends in the background.
const DETACH_TIMEOUT: Duration = Duration::from_millis(300);

/// The origin of a stop that the program requests.
pub(super) const CALL: &str = "a call to `stop`";

/// The supervisor of the engine that a server has started last.
///
/// The lock is held only briefly. No panic can leave the data under it inconsistent.
#[derive(Debug, Default)]
pub(super) struct CurrentSupervisor(Mutex<Option<Arc<Supervisor>>>);

impl CurrentSupervisor {
    /// Spawns a supervisor and replaces the current one.
    pub(super) fn spawn(
        &self,
        serve: impl FnOnce(ShutdownReceiver, &Progress) -> Result<(), ServerError> + Send + 'static,
    ) -> Result<Arc<Supervisor>, ServerError> {
        let mut current = self.0.lock();
        let supervisor = Supervisor::spawn(serve)?;
        *current = Some(Arc::clone(&supervisor));
        Ok(supervisor)
    }

    /// Returns the supervisor if its engine is running.
    pub(super) fn serving(&self) -> Option<Arc<Supervisor>> {
        let supervisor = self.0.lock().clone();
        supervisor.filter(|supervisor| !supervisor.ended())
    }

    /// Removes a supervisor that has ended, unless another has replaced it.
    pub(super) fn forget(&self, gone: &Arc<Supervisor>) {
        let mut current = self.0.lock();
        if current
            .as_ref()
            .is_some_and(|supervisor| Arc::ptr_eq(supervisor, gone))
        {
            *current = None;
        }
    }

    /// Stops the engine, and waits until it has ended.
    pub(super) fn stop(&self) -> Result<(), ServerError> {
        let Some(supervisor) = self.0.lock().clone() else {
            return Ok(());
        };
        supervisor.order(ShutdownPhase::Stop(CALL));
        let done = supervisor.join();
        self.forget(&supervisor);
        done
    }

    /// Begins to stop. Waits a moment, in which a server without open connections ends.
    pub(super) fn begin_to_stop(&self) -> Result<(), ServerError> {
        let Some(supervisor) = self.0.lock().clone() else {
            return Ok(());
        };
        supervisor.order(ShutdownPhase::Stop(CALL));
        let mut phase = supervisor.phase();
        wait(async move {
            let ended = phase.wait_for(|phase| *phase == Phase::Ended);
            timeout(DETACH_TIMEOUT, ended).await.is_ok()
        })
        .map(drop)
    }
}
