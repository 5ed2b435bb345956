use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::heap::keep;
use crate::logging;
use crate::offload::mark_blockable;
use crate::registry::Registry;
use crate::server::ServerError;
use crate::server::blocking::runtime;
use crate::server::chosen_engine::Plan;
use crate::server::shutdown_phase::ShutdownReceiver;
use crate::server::supervisor::{Progress, Running};

use super::Server;
use super::engine::EmbeddedEngine;

/// Serves until an order to stop arrives.
///
/// The thread that stops the server has its own runtime, so blocked workers cannot prevent the
/// stop.
pub(super) fn serve(
    plan: &Plan,
    shutdown: ShutdownReceiver,
    progress: &Progress,
) -> Result<(), ServerError> {
    if plan.ports {
        keep(plan.options.bounds().max_bytes_in_flight);
    }
    if let Some(path) = plan.options.triton.flags.values("log-file").last() {
        logging::write_to(Path::new(path)).map_err(|source| ServerError::LogFile {
            path: path.into(),
            source,
        })?;
    }
    #[cfg(feature = "test-util")]
    if plan.paused {
        return super::paused::serve(plan, shutdown, progress);
    }
    let mut builder = Builder::new_multi_thread();
    let workers = runtime(
        builder
            .worker_threads(threads(&plan.registry))
            .on_thread_start(mark_blockable),
    )?;
    let here = runtime(&mut Builder::new_current_thread())?;
    let done = serve_on(&workers, &here, plan, shutdown, progress);
    workers.shutdown_background();
    done
}

/// The minimum number of worker threads, because a blocked one must not stop the others.
const MIN_WORKER_THREADS: usize = 2;

/// Returns the number of worker threads: one per processor, and one more if a function may run
/// inline, because the last free thread never calls a function.
fn threads(registry: &Registry) -> usize {
    let inline = registry.iter().any(|model| model.call_options.inline);
    let processors = available_parallelism().map_or(1, NonZero::get);
    processors.max(MIN_WORKER_THREADS) + usize::from(inline)
}

pub(super) fn serve_on(
    workers: &Runtime,
    here: &Runtime,
    plan: &Plan,
    mut shutdown: ShutdownReceiver,
    progress: &Progress,
) -> Result<(), ServerError> {
    let server = workers.block_on(async {
        tokio::select! {
            server = start(plan) => server,
            signal = shutdown.stop() => Err(ServerError::NotReady { signal }),
        }
    })?;
    progress.serving(Running {
        addresses: *server.addresses(),
        engine: Box::new(EmbeddedEngine {
            models: server.models().clone(),
            workers: workers.handle().clone(),
        }),
        access: server.access(),
        reason: plan.reason.clone(),
    });
    here.block_on(until_stopped(
        server,
        shutdown,
        plan.options.exit_timeout_secs,
    ))
}

async fn start(plan: &Plan) -> Result<Server, ServerError> {
    match plan.ports {
        true => Ok(Server::start(&plan.registry, &plan.options, &plan.extensions).await?),
        false => Ok(Server::without_ports(&plan.registry, &plan.options, &plan.extensions).await?),
    }
}

async fn until_stopped(
    server: Server,
    mut shutdown: ShutdownReceiver,
    seconds: u64,
) -> Result<(), ServerError> {
    let fatal_error = shutdown.until_over(server.models().broken()).await;
    tokio::select! {
        answered = server.stop(Duration::from_secs(seconds)) => match (fatal_error, answered) {
            (Some(fatal_error), _) => Err(fatal_error.into()),
            (None, true) => Ok(()),
            (None, false) => Err(ServerError::Drain { seconds }),
        },
        signal = shutdown.abandon() => {
            tracing::warn!(signal, "stopping immediately");
            Err(ServerError::Interrupted { signal })
        }
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::model::CallOptions;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;

    use super::*;

    fn registry(inline: bool) -> Registry {
        let model = ModelDeclaration {
            options: ModelOptions {
                call_options: CallOptions::DEFAULT.inline(inline),
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        Registry::new(&[&model]).unwrap()
    }

    #[test]
    fn thread_that_never_calls_functions_is_additional() {
        let without = threads(&Registry::default());
        assert!(without >= MIN_WORKER_THREADS);
        assert_eq!(threads(&registry(false)), without);
        assert_eq!(threads(&registry(true)), without + 1);
    }
}
