use std::path::PathBuf;
use std::sync::Arc;

use pytriton_core::instance::check_devices;
use pytriton_core::registry::Registry;
use pytriton_engine::access::{Access, Follow};
use pytriton_engine::options::{Options, OptionsError};

use crate::triton::{Endpoints, EngineError, Launch, Located, Probe, TritonEngine};
use crate::worker::WorkerError;

use super::TritonserverError;
use super::checks::{check_histograms, check_options, check_poll, check_tls};

/// Starts the engine with the options. `docs` states whether this binary can serve the docs page.
/// If `stop` is ready before the server is, the start ends, and with it tritonserver.
///
/// # Errors
///
/// Returns a [`TritonserverError`] that names the option, the model or the cause.
pub async fn start(
    registry: &Registry,
    options: &Options,
    located: &Located,
    probe: Probe,
    docs: bool,
    stop: impl Future<Output = ()>,
) -> Result<TritonEngine, TritonserverError> {
    options.control.check()?;
    check_poll(options)?;
    if registry.is_empty() {
        return Err(TritonserverError::NothingBound);
    }
    registry.check_served()?;
    if !options.allow_http && !options.allow_grpc {
        return Err(OptionsError::NoEndpoint.into());
    }
    check_options(registry, options, docs)?;
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
    let access = Access::new(&options.access, &options.triton.flags, Follow::Log)?;
    let launch = launch(options, Arc::new(access));
    Ok(TritonEngine::start(registry, located, probe, launch, stop).await?)
}

fn launch(options: &Options, access: Arc<Access>) -> Launch {
    let [http, grpc, metrics] = options.endpoints();
    Launch {
        endpoints: Endpoints {
            http,
            grpc,
            metrics,
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
