use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pytriton_tritonserver::server::start;
use tokio::join;
use tokio::runtime::Builder;
use tokio::time::Instant;

use crate::registry::Registry;
use crate::server::blocking::runtime;
use crate::server::chosen_engine::Plan;
use crate::server::shutdown_phase::ShutdownReceiver;
use crate::server::sidecar::{CalledModels, SidecarServer};
use crate::server::supervisor::{Progress, Running};
use crate::server::{Addresses, Options, ServerError, TritonserverError};
use crate::triton::{Located, OwnConnections, Probe, Stopped, TritonEngine};

use super::engine::TritonserverEngine;

/// Whether this binary can serve the docs page next to tritonserver.
const DOCS: bool = cfg!(feature = "embedded");

/// The maximum exit timeout in seconds. Longer ones are reduced to it.
const MAX_EXIT_TIMEOUT_SECS: u64 = u32::MAX as u64;

/// Serves until an order to stop arrives or tritonserver dies.
pub(super) fn serve(
    plan: &Plan,
    located: &Located,
    probe: &Probe,
    shutdown: ShutdownReceiver,
    progress: &Progress,
) -> Result<(), ServerError> {
    let workers = runtime(&mut Builder::new_multi_thread())?;
    let done = workers.block_on(serve_until_stopped(
        plan, located, probe, shutdown, progress,
    ));
    // A function that never returns must not keep the server from ending.
    workers.shutdown_background();
    done
}

async fn serve_until_stopped(
    plan: &Plan,
    located: &Located,
    probe: &Probe,
    mut shutdown: ShutdownReceiver,
    progress: &Progress,
) -> Result<(), ServerError> {
    let options = &plan.options;
    let mut stop_order = shutdown.clone();
    let starting = start_engine(&plan.registry, options, located, probe, stop_order.stop());
    let (mut engine, called) = tokio::select! {
        started = starting => started?,
        signal = shutdown.abandon() => return Err(ServerError::NotReady { signal }),
    };
    let (sidecar, addresses) = start_sidecar(&plan.registry, options, &engine).await?;
    progress.serving(Running {
        addresses,
        engine: Box::new(TritonserverEngine(engine.served_models())),
        access: Some(engine.running().access),
        reason: plan.reason.clone(),
    });
    let (of_engine, of_called) = (engine.broken(), called.broken());
    let broken = async {
        tokio::select! {
            fatal_error = of_engine => fatal_error,
            fatal_error = of_called => fatal_error,
        }
    };
    let died = async {
        if options.triton.restart {
            engine.keep_alive().await;
        }
        engine.died().await
    };
    let fatal_error = tokio::select! {
        exit = died => return Err(TritonserverError::Died { exit }.into()),
        fatal_error = shutdown.until_over(broken) => fatal_error,
    };
    let stopped = stop(engine, sidecar, called, options.exit_timeout_secs);
    tokio::select! {
        (stopped, answered) = stopped => {
            if stopped.broken_off > 0 {
                tracing::warn!(
                    connections = stopped.broken_off,
                    "closed gRPC connections whose calls had no traffic for two seconds"
                );
            }
            match fatal_error {
                Some(fatal_error) => Err(fatal_error.into()),
                None => outcome(stopped, answered, options.exit_timeout_secs),
            }
        }
        signal = shutdown.abandon() => {
            tracing::warn!(signal, "stopping immediately");
            Err(ServerError::Interrupted { signal })
        }
    }
}

/// Starts tritonserver, and before it the models that functions call. If `stop` returns the name of
/// a signal before the server is ready, tritonserver is stopped.
pub(super) async fn start_engine(
    registry: &Registry,
    options: &Options,
    located: &Located,
    probe: &Probe,
    stop: impl Future<Output = &'static str>,
) -> Result<(TritonEngine, CalledModels), ServerError> {
    let mut stop = pin!(stop);
    let called = tokio::select! {
        called = CalledModels::start(registry, options) => called?,
        signal = &mut stop => return Err(ServerError::NotReady { signal }),
    };
    let registry = called.callable_from(registry);
    let mut received = None;
    let stop = async { received = Some(stop.await) };
    let started = start(&registry, options, located, probe.clone(), DOCS, stop).await;
    match (started, received) {
        (Ok(engine), _) => Ok((engine, called)),
        // Other errors are consequences of the stop.
        (Err(_), Some(signal)) => Err(ServerError::NotReady { signal }),
        (Err(error), None) => Err(error.into()),
    }
}

/// Stops all ports at once. Returns how tritonserver ended, and whether this process completed all
/// requests on its own ports.
pub(super) async fn stop(
    engine: TritonEngine,
    sidecar: SidecarServer,
    called: CalledModels,
    seconds: u64,
) -> (Stopped, bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds.min(MAX_EXIT_TIMEOUT_SECS));
    let finished = Arc::new(AtomicBool::new(false));
    let prepared = sidecar.prepare_to_stop();
    let answering = async {
        let answered = sidecar.stop(deadline).await;
        finished.store(true, Ordering::Relaxed);
        answered
    };
    let ending = async {
        engine.stop_being_ready();
        let own = OwnConnections {
            addresses: prepared.await,
            finished: Arc::clone(&finished),
        };
        engine.stop(deadline, own).await
    };
    // Readiness changes when each future is first polled.
    let (answered, stopped) = join!(answering, ending);
    // The functions that call them have returned.
    let completed = called.stop(deadline).await;
    (stopped, answered && completed)
}

/// Opens the ports of this process next to a tritonserver. Returns the addresses of all ports. If a
/// port cannot be opened, tritonserver ends.
pub(super) async fn start_sidecar(
    registry: &Registry,
    options: &Options,
    engine: &TritonEngine,
) -> Result<(SidecarServer, Addresses), ServerError> {
    let running = engine.running();
    let mut addresses = running.addresses;
    let started = SidecarServer::start(registry, options, running).await;
    if started.is_err() {
        engine.abandon().await;
    }
    let sidecar = started?;
    let own = sidecar.addresses();
    if options.allowed_hosts.is_some() {
        tracing::warn!(
            "--allowed-hosts applies only to the OpenAI routes and the docs page: tritonserver does not check host names"
        );
    }
    addresses.extend(own);
    Ok((sidecar, addresses))
}

/// Converts the result of a stop. `answered` states whether the ports of this process completed
/// their requests.
fn outcome(stopped: Stopped, answered: bool, seconds: u64) -> Result<(), ServerError> {
    let error = match stopped {
        Stopped { cut, .. } if cut > 0 => TritonserverError::Cut {
            seconds,
            connections: cut,
        },
        _ if !answered => return Err(ServerError::Drain { seconds }),
        Stopped { late: true, .. } => TritonserverError::Late { seconds },
        Stopped { exit, .. } if exit.success() => return Ok(()),
        Stopped { exit, .. } => TritonserverError::Died { exit },
    };
    Err(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_reports_closed_connections_and_killed_processes() {
        let well = Stopped::default();
        let cut = Stopped {
            cut: 2,
            ..well.clone()
        };
        let late = Stopped {
            late: true,
            ..well.clone()
        };
        for (stopped, answered, expected) in [
            (&well, true, ""),
            (
                &well,
                false,
                "accepted requests were not completed within 3 seconds",
            ),
            (&cut, true, "2 connections were closed"),
            (&cut, false, "2 connections were closed"),
            (&late, true, "tritonserver did not exit within 3 seconds"),
        ] {
            let outcome = outcome(stopped.clone(), answered, 3).err();
            let message = outcome.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
