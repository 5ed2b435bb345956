use std::error::Error;
use std::fmt;

use crate::server::ServerError;
use crate::server::supervisor::Running;

/// An error of the program.
pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// A function that is called when the server has started. It returns the functions to call when it
/// has stopped.
type Start = Box<dyn FnOnce(&Running) -> (Result<(), ServerError>, Stop) + Send>;

/// A function that is called when the server has stopped.
type Stop = Box<dyn FnOnce() -> Result<(), ServerError> + Send>;

/// The functions of a program that are called when its server starts and stops.
#[derive(Default)]
pub(in crate::server) struct Hooks(Option<Start>);

/// The functions that are called when the server has stopped.
#[derive(Default)]
pub(in crate::server) struct StopHooks(Option<Stop>);

impl Hooks {
    pub(super) fn new(
        start: impl FnOnce(&Running) -> (Result<(), ServerError>, Stop) + Send + 'static,
    ) -> Self {
        Self(Some(Box::new(start)))
    }

    /// Calls the functions for the start.
    pub(in crate::server) fn started(
        self,
        started: &Running,
    ) -> (Result<(), ServerError>, StopHooks) {
        match self.0 {
            None => (Ok(()), StopHooks::default()),
            Some(start) => {
                let (done, stop) = start(started);
                (done, StopHooks(Some(stop)))
            }
        }
    }
}

impl StopHooks {
    /// Returns whether there are no functions.
    pub(in crate::server) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Calls the functions for the stop.
    pub(in crate::server) fn stopped(self) -> Result<(), ServerError> {
        self.0.map_or(Ok(()), |stop| stop())
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hooks").field(&self.0.is_some()).finish()
    }
}
