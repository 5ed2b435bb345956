use std::net::SocketAddr;
use std::path::PathBuf;

use crate::registry::Registry;
use crate::triton::{Endpoints, Launch, Located, Probe, Stopped, TritonEngine};

use super::addresses::shared;
use super::run::{print, registry};
use super::signal::StopSignals;
use super::{Addresses, Options, ServerError, banner};

/// Serves until a signal comes or tritonserver dies.
pub(super) async fn serve(
    options: Options,
    located: Located,
    probe: Probe,
) -> Result<(), ServerError> {
    let registry = registry()?;
    let mut signals = StopSignals::new()?;
    let mut engine = tokio::select! {
        engine = start(&registry, &options, &located, probe) => engine?,
        signal = signals.next() => return Err(ServerError::NotReady { signal }),
    };
    let Endpoints {
        http,
        grpc,
        metrics,
    } = *engine.endpoints();
    let addresses = Addresses {
        http,
        grpc,
        metrics,
    };
    print(&banner(&registry, &addresses, "tritonserver"));
    let died = async {
        if options.triton.restart {
            engine.keep_alive().await;
        }
        engine.died().await
    };
    let signal = tokio::select! {
        exit = died => return Err(ServerError::Died { exit }),
        signal = signals.next() => signal,
    };
    tracing::info!(
        signal,
        "stopping: accepted requests are answered, new ones refused"
    );
    tokio::select! {
        stopped = engine.stop() => {
            let Stopped { exit, cut, broken_off } = stopped;
            if broken_off > 0 {
                tracing::warn!(
                    connections = broken_off,
                    "connections over gRPC were closed with calls on which nothing had come or gone for two seconds"
                );
            }
            match cut {
                0 if exit.success() => Ok(()),
                0 => Err(ServerError::Died { exit }),
                connections => Err(ServerError::Cut {
                    seconds: options.exit_timeout_secs,
                    connections,
                }),
            }
        }
        signal = signals.next() => {
            tracing::warn!(signal, "stopping at once");
            Err(ServerError::Interrupted { signal })
        }
    }
}

/// Starts the engine as the options say.
pub(super) async fn start(
    registry: &Registry,
    options: &Options,
    located: &Located,
    probe: Probe,
) -> Result<TritonEngine, ServerError> {
    if !options.allow_http && !options.allow_grpc {
        return Err(ServerError::NoEndpoint);
    }
    if options.max_bytes_in_flight.is_some() {
        let option = "--max-bytes-in-flight";
        return Err(ServerError::EmbeddedOnly { option });
    }
    if shared(options) {
        return Err(ServerError::SharedPort);
    }
    Ok(TritonEngine::start(registry, located, probe, launch(options)).await?)
}

fn launch(options: &Options) -> Launch {
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
        log_verbose: options.log_verbose,
        max_request_bytes: options.http_max_input_size,
        repository: PathBuf::new(),
        backends: PathBuf::new(),
        caches: None,
        response_cache: false,
        flags: options.triton.flags.clone(),
    }
}
