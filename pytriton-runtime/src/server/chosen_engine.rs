use std::fmt::Debug;

use tokio::runtime::Runtime;

use crate::registry::Registry;

use super::shutdown_phase::ShutdownReceiver;
use super::supervisor::Progress;
use super::{Options, ServerError};

/// The models to serve, and the options of the server.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) registry: Registry,
    pub(super) options: Options,
    /// Whether to open ports. If not, a router serves the requests.
    pub(super) ports: bool,
}

/// An engine that can be started.
pub(super) trait ChosenEngine: Debug + Send {
    /// Logs the engine and the reason for the choice.
    fn log(&self);

    /// Serves until an order to stop arrives.
    fn serve(
        &self,
        plan: &Plan,
        shutdown: ShutdownReceiver,
        progress: &Progress,
    ) -> Result<(), ServerError>;

    /// Performs a complete start on a runtime, and then stops. Returns the lines of a report.
    fn check(
        &self,
        runtime: &Runtime,
        registry: &Registry,
        options: &Options,
    ) -> Result<Vec<String>, ServerError>;
}
