use std::fmt::Debug;

use tokio::runtime::Runtime;

use crate::registry::Registry;

use super::embedded::Extensions;
use super::engine_reason::EngineReason;
use super::shutdown_phase::ShutdownReceiver;
use super::supervisor::Progress;
use super::{Options, ServerError};

/// The models to serve, and the options of the server.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) registry: Registry,
    pub(super) options: Options,
    /// Why this engine serves them, for the banner.
    pub(super) reason: String,
    /// Whether to open ports. If not, a router serves the requests.
    pub(super) ports: bool,
    /// Whether the clock of the embedded engine is paused.
    #[cfg(feature = "test-util")]
    pub(super) paused: bool,
    /// The parts that the program adds to the server.
    #[cfg_attr(
        not(feature = "embedded"),
        expect(dead_code, reason = "only the embedded engine has extensions")
    )]
    pub(super) extensions: Extensions,
}

/// An engine that can be started.
pub(super) trait ChosenEngine: Debug + Send {
    /// Returns the name of the engine, as in `--engine`.
    fn name(&self) -> &'static str;

    /// Returns why it was chosen.
    fn reason(&self) -> &EngineReason;

    /// Logs the engine and the reason for the choice.
    fn log(&self) {
        tracing::info!("engine {}: {}", self.name(), self.reason());
    }

    /// Serves until an order to stop arrives.
    fn serve(
        &self,
        plan: &Plan,
        shutdown: ShutdownReceiver,
        progress: &Progress,
    ) -> Result<(), ServerError>;

    /// Performs a complete start on a runtime, and then stops. Returns the lines of a report.
    fn check(&self, runtime: &Runtime, plan: &Plan) -> Result<Vec<String>, ServerError>;
}
