use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::join;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use crate::access::{Access, Follow};
use crate::engine::{ControlError, ControlMode};
use crate::instance::check_devices;
use crate::port::Port;
use crate::registry::Registry;
use crate::tls::{TlsError, inspect, plan};
use crate::triton::{
    Endpoints, EngineError, Launch, Located, OwnConnections, Probe, Stopped, TritonEngine, Version,
    version,
};
use crate::worker::WorkerError;

use super::run::runtime;
use super::shutdown_phase::ShutdownReceiver;
use super::supervisor::{Plan, Progress, Running};
use super::tritonserver_engine::TritonserverEngine;
use super::{Addresses, Options, OptionsError, ServerError, SidecarServer};

/// The maximum exit timeout in seconds. Longer ones are reduced to it.
const LONGEST_EXIT_TIMEOUT: u64 = u32::MAX as u64;

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
    let mut engine = tokio::select! {
        engine = start(&plan.registry, options, located, probe.clone()) => engine?,
        signal = shutdown.stop() => return Err(ServerError::NotReady { signal }),
    };
    let (sidecar, addresses) = start_sidecar(&plan.registry, options, &engine).await?;
    progress.serving(Running {
        addresses,
        engine: Box::new(TritonserverEngine(engine.served_models())),
    });
    let broken = engine.broken();
    let died = async {
        if options.triton.restart {
            engine.keep_alive().await;
        }
        engine.died().await
    };
    let fatal_error = tokio::select! {
        exit = died => return Err(ServerError::Died { exit }),
        fatal_error = shutdown.until_over(broken) => fatal_error,
    };
    let stopped = stop(engine, sidecar, options.exit_timeout_secs);
    tokio::select! {
        (stopped, answered) = stopped => {
            if stopped.broken_off > 0 {
                tracing::warn!(
                    connections = stopped.broken_off,
                    "closed gRPC connections with calls that had no traffic for two seconds"
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

/// Stops all ports at once. Returns how tritonserver ended, and whether this process completed all
/// requests on its own ports.
pub(super) async fn stop(
    engine: TritonEngine,
    sidecar: SidecarServer,
    seconds: u64,
) -> (Stopped, bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds.min(LONGEST_EXIT_TIMEOUT));
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
    (stopped, answered)
}

/// Opens the ports of this process next to a tritonserver. Returns the addresses of all ports.
pub(super) async fn start_sidecar(
    registry: &Registry,
    options: &Options,
    engine: &TritonEngine,
) -> Result<(SidecarServer, Addresses), ServerError> {
    let tls = plan(&options.tls, &options.triton.flags)?;
    let running = engine.running(tls.get(Port::Grpc).is_some());
    let mut addresses = running.addresses;
    let sidecar = SidecarServer::start(registry, options, running).await?;
    addresses.extend(sidecar.addresses());
    Ok((sidecar, addresses))
}

/// Converts the result of a stop. `answered` states whether the ports of this process completed
/// their requests.
fn outcome(stopped: Stopped, answered: bool, seconds: u64) -> Result<(), ServerError> {
    match stopped {
        Stopped { cut, .. } if cut > 0 => Err(ServerError::Cut {
            seconds,
            connections: cut,
        }),
        _ if !answered => Err(ServerError::Drain { seconds }),
        Stopped { late: true, .. } => Err(ServerError::Late { seconds }),
        Stopped { exit, .. } if exit.success() => Ok(()),
        Stopped { exit, .. } => Err(ServerError::Died { exit }),
    }
}

/// Starts the engine with the options.
pub(super) async fn start(
    registry: &Registry,
    options: &Options,
    located: &Located,
    probe: Probe,
) -> Result<TritonEngine, ServerError> {
    options.control.check()?;
    check_poll(options)?;
    if registry.is_empty() {
        return Err(ServerError::NothingBound);
    }
    registry.check_served()?;
    if !options.allow_http && !options.allow_grpc {
        return Err(OptionsError::NoEndpoint.into());
    }
    check_options(options)?;
    check_tls(options)?;
    check_histograms(options, located).await?;
    for spec in registry.iter() {
        let failed = |source| WorkerError::Load {
            location: spec.location,
            source,
        };
        check_devices(spec)
            .map_err(failed)
            .map_err(EngineError::from)?;
    }
    let access = Access::new(&options.access, &options.triton.flags, Follow::Tell)?;
    let launch = launch(options, Arc::new(access));
    Ok(TritonEngine::start(registry, located, probe, launch).await?)
}

/// Refuses options that the tritonserver engine does not support.
pub(super) fn check_options(options: &Options) -> Result<(), ServerError> {
    let theirs = [
        (
            options.max_bytes_in_flight.is_some(),
            "--max-bytes-in-flight",
        ),
        (options.allowed_hosts.is_some(), "--allowed-hosts"),
        (options.vertex_ai_address.is_some(), "--vertex-ai-address"),
        (options.sagemaker_address.is_some(), "--sagemaker-address"),
    ];
    let theirs = theirs
        .into_iter()
        .find_map(|(given, option)| given.then_some(option));
    if let Some(option) = theirs.or_else(|| options.limits.given()) {
        return Err(ServerError::EmbeddedOnly { option });
    }
    if options.shares_port() {
        return Err(ServerError::SharedPort);
    }
    match options.docs_option() {
        #[cfg(not(feature = "embedded"))]
        Some(option) => Err(ServerError::NoDocs { option }),
        #[cfg(feature = "embedded")]
        Some(option) if !options.allow_http => Err(ServerError::DocsNoHttp { option }),
        _ => Ok(()),
    }
}

/// Refuses histograms if tritonserver is too old for them and would ignore the setting.
async fn check_histograms(options: &Options, located: &Located) -> Result<(), ServerError> {
    let mut values = options.triton.flags.values("metrics-config");
    if !values.any(|value| value.to_string_lossy().trim() == "histogram_latencies=true") {
        return Ok(());
    }
    let binary = located.binary.clone();
    let version = spawn_blocking(move || version(&binary)).await;
    // If the executable does not run, starting it reports why.
    match version.ok().and_then(Result::ok).flatten() {
        Some(version) if version < Version::HISTOGRAMS => Err(ServerError::Histograms { version }),
        _ => Ok(()),
    }
}

/// Refuses polling without a model repository, because the models of this binary do not change.
fn check_poll(options: &Options) -> Result<(), ControlError> {
    let polls = options.control.model_control_mode == ControlMode::Poll;
    match polls && !options.triton.flags.contains("model-repository") {
        true => Err(ControlError::Poll),
        false => Ok(()),
    }
}

/// Checks the files before tritonserver does, whose message would be misleading.
pub(super) fn check_tls(options: &Options) -> Result<(), TlsError> {
    let plan = plan(&options.tls, &options.triton.flags)?;
    for port in [Port::Http, Port::Metrics] {
        if plan.get(port).is_some() {
            return Err(TlsError::Tritonserver { port: port.name() });
        }
    }
    match plan.get(Port::Grpc).filter(|_| options.allow_grpc) {
        Some(files) => Ok(inspect(Port::Grpc.name(), files)?),
        None => Ok(()),
    }
}

fn launch(options: &Options, access: Arc<Access>) -> Launch {
    let at = |allowed: bool, address, port| allowed.then_some(SocketAddr::new(address, port));
    let metrics_address = options.metrics_address.unwrap_or(options.http_address);
    Launch {
        endpoints: Endpoints {
            http: at(options.allow_http, options.http_address, options.http_port),
            grpc: at(options.allow_grpc, options.grpc_address, options.grpc_port),
            metrics: at(options.allow_metrics, metrics_address, options.metrics_port),
        },
        http_header_forward_pattern: options.http_header_forward_pattern.pattern().to_owned(),
        grpc_header_forward_pattern: options.grpc_header_forward_pattern.pattern().to_owned(),
        exit_timeout_secs: options.exit_timeout_secs,
        ready_timeout_secs: options.triton.ready_timeout_secs,
        log_verbose: options.log_verbose,
        max_request_bytes: options.http_max_input_size,
        repository: PathBuf::new(),
        backends: PathBuf::new(),
        caches: None,
        response_cache: false,
        access,
        control: options.control.clone(),
        flags: options.triton.flags.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_cuts_or_kills_does_not_end_well() {
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
            (&well, false, "3 seconds were not enough to complete"),
            (&cut, true, "2 connections were cut"),
            (&cut, false, "2 connections were cut"),
            (&late, true, "tritonserver did not exit within 3 seconds"),
        ] {
            let outcome = outcome(stopped.clone(), answered, 3).err();
            let message = outcome.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn a_page_that_there_cannot_be_is_refused() {
        let alone = "--allow-http=false";
        for (arguments, expected) in [
            (&[alone][..], ""),
            (
                &[alone, "--docs-port=0"],
                "--docs-port is for the docs page",
            ),
            (&[alone, "--docs-address=::1"], "--docs-address is for"),
            (&[alone, "--docs-port=0", "--allow-docs=false"], ""),
            #[cfg(feature = "embedded")]
            (&["--docs-port=0", "--docs-address=::1"], ""),
            #[cfg(not(feature = "embedded"))]
            (&["--docs-port=0"], "requires pytriton's feature `embedded`"),
        ] {
            let options = Options::parse(arguments).unwrap();
            let message = check_options(&options).err();
            let message = message.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
}
