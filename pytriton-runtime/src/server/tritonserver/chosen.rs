use std::future::pending;
#[cfg(feature = "embedded")]
use std::path::PathBuf;

use pytriton_engine::options::TritonOptions;
use pytriton_tritonserver::server::{description, find};
use tokio::runtime::Runtime;

use crate::server::chosen_engine::{ChosenEngine, Plan};
use crate::server::engine_reason::EngineReason;
use crate::server::shutdown_phase::ShutdownReceiver;
use crate::server::supervisor::Progress;
use crate::server::{ServerError, TritonserverError};
use crate::triton::{Located, Probe, SearchPaths};

use super::core_report::core_lines;
use super::serve::{serve, start_engine, start_sidecar, stop};

/// A tritonserver that runs on this system.
#[derive(Debug)]
struct Tritonserver {
    located: Located,
    probe: Probe,
    reason: EngineReason,
}

/// Chooses the tritonserver that the options name, or the first one that is found and runs.
pub(in crate::server) fn choose(
    options: &TritonOptions,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    choose_in(&SearchPaths::new(options.tritonserver.clone()))
}

/// Chooses the first tritonserver of these paths that runs.
pub(in crate::server) fn choose_in(
    paths: &SearchPaths,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    let (located, probe) = find(paths).map_err(TritonserverError::from)?;
    let reason = EngineReason::Found(format!("{}, {}", located.binary.display(), located.found));
    Ok(Box::new(Tritonserver {
        located,
        probe,
        reason,
    }))
}

/// Describes the tritonserver that is found, or why none is found.
#[cfg(feature = "embedded")]
pub(in crate::server) fn report(named: Option<PathBuf>) -> Result<Vec<String>, TritonserverError> {
    match find(&SearchPaths::new(named)) {
        Ok((located, probe)) => described(&located, &probe),
        Err(error) => Ok(vec![error.to_string()]),
    }
}

fn described(located: &Located, probe: &Probe) -> Result<Vec<String>, TritonserverError> {
    let mut lines = description(located, probe)?;
    lines.extend(core_lines(located));
    Ok(lines)
}

impl ChosenEngine for Tritonserver {
    fn name(&self) -> &'static str {
        "tritonserver"
    }

    fn reason(&self) -> &EngineReason {
        &self.reason
    }

    fn serve(
        &self,
        plan: &Plan,
        shutdown: ShutdownReceiver,
        progress: &Progress,
    ) -> Result<(), ServerError> {
        serve(plan, &self.located, &self.probe, shutdown, progress)
    }

    fn check(&self, runtime: &Runtime, plan: &Plan) -> Result<Vec<String>, ServerError> {
        let (registry, options) = (&plan.registry, &plan.options);
        let mut lines = vec!["engine tritonserver".to_owned()];
        lines.extend(described(&self.located, &self.probe)?);
        runtime.block_on(async {
            let started = start_engine(registry, options, &self.located, &self.probe, pending());
            let (engine, called) = started.await?;
            let (sidecar, _) = start_sidecar(registry, options, &engine).await?;
            stop(engine, sidecar, called, options.exit_timeout_secs).await;
            Ok(lines)
        })
    }
}
