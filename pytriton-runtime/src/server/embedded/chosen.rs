use std::time::Duration;

use tokio::runtime::Runtime;

use crate::server::chosen_engine::{ChosenEngine, Plan};
use crate::server::engine_reason::EngineReason;
use crate::server::shutdown_phase::ShutdownReceiver;
use crate::server::supervisor::Progress;
use crate::server::{Options, ServerError, tritonserver};

use super::Server;
use super::serve::serve;

/// This process, and the reason for the choice.
#[derive(Debug)]
struct Embedded(EngineReason);

/// Chooses the embedded engine for this reason.
pub(in crate::server) fn choose(
    reason: EngineReason,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    Ok(Box::new(Embedded(reason)))
}

/// Returns the effective value of `--max-bytes-in-flight`.
pub(in crate::server) fn max_bytes_in_flight(options: &Options) -> Option<usize> {
    Some(options.bounds().max_bytes_in_flight)
}

impl ChosenEngine for Embedded {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn reason(&self) -> &EngineReason {
        &self.0
    }

    fn serve(
        &self,
        plan: &Plan,
        shutdown: ShutdownReceiver,
        progress: &Progress,
    ) -> Result<(), ServerError> {
        serve(plan, shutdown, progress)
    }

    fn check(&self, runtime: &Runtime, plan: &Plan) -> Result<Vec<String>, ServerError> {
        let mut lines = vec![format!("engine embedded: {}", self.0)];
        lines.extend(tritonserver::report(
            plan.options.triton.tritonserver.clone(),
        )?);
        runtime.block_on(async {
            let server = Server::start(&plan.registry, &plan.options, &plan.extensions).await?;
            server.stop(Duration::ZERO).await;
            Ok(lines)
        })
    }
}
