use std::collections::BTreeSet;
use std::ffi::OsString;

use pytriton_engine::Limits;
use pytriton_engine::access::Protocol;
use pytriton_engine::flags::is_secret;
use pytriton_engine::options::ControlOptions;

use super::command_line::CommandLine;
use super::{Launch, Placeholders, UnknownFlag};

/// The flag that configures a response cache.
const CACHE_CONFIG: &str = "cache-config";

/// The flag for the maximum request size, available since 25.x.
const MAX_INPUT_SIZE: &str = "http-max-input-size";

/// Returns the command line for a tritonserver that supports the flags `known`.
///
/// Each item is one argument and is never split. Secret values are in the placeholders.
///
/// # Errors
///
/// Returns [`UnknownFlag`] if the server does not support a flag that `launch` requires.
pub fn arguments(
    launch: &Launch,
    known: &BTreeSet<String>,
) -> Result<(Vec<OsString>, Placeholders), UnknownFlag> {
    let mut line = CommandLine::new(known);
    line.path("model-repository", &launch.repository)?;
    line.path("backend-directory", &launch.backends)?;
    if let Some(caches) = launch
        .caches
        .as_ref()
        .filter(|_| !launch.flags.contains("cache-directory"))
    {
        line.path("cache-directory", caches)?;
    }
    // Without a cache tritonserver caches no responses, even if a model requests it.
    if launch.response_cache && !launch.flags.contains(CACHE_CONFIG) {
        let size = Limits::default().response_cache_bytes;
        line.flag(CACHE_CONFIG, format!("local,size={size}"))?;
    }
    control(&mut line, &launch.control)?;
    line.flag("exit-timeout-secs", launch.exit_timeout_secs.to_string())?;
    line.flag("log-verbose", launch.log_verbose.to_string())?;
    line.endpoints(&launch.endpoints)?;
    for (flag, pattern) in [
        (
            "http-header-forward-pattern",
            &launch.http_header_forward_pattern,
        ),
        (
            "grpc-header-forward-pattern",
            &launch.grpc_header_forward_pattern,
        ),
    ] {
        if !pattern.is_empty() {
            line.flag(flag, pattern)?;
        }
    }
    // Older servers do not limit the size of a request. That matters only if the user set a limit.
    let asked_for = launch.max_request_bytes != Limits::default().max_request_bytes;
    if asked_for || line.knows(MAX_INPUT_SIZE) {
        line.flag(MAX_INPUT_SIZE, launch.max_request_bytes.to_string())?;
    }
    for (flag, value) in launch.access.options() {
        line.hidden(flag, value.as_ref())?;
    }
    let closing = Protocol::ALL.map(Protocol::option);
    for (flag, value) in launch.flags.iter() {
        if closing.contains(&flag) {
            continue;
        }
        match is_secret(flag, value) {
            true => line.hidden(flag, value)?,
            false => line.flag(flag, value)?,
        }
    }
    Ok(line.into_arguments())
}

/// Adds the flags of model control. Defaults of tritonserver are omitted, except the mode: no
/// client may load or unload models by default.
fn control(line: &mut CommandLine<'_>, control: &ControlOptions) -> Result<(), UnknownFlag> {
    let default = ControlOptions::default();
    line.flag("model-control-mode", control.model_control_mode.to_string())?;
    for model in &control.load_model {
        line.flag("load-model", model)?;
    }
    if control.exit_on_error != default.exit_on_error {
        line.flag("exit-on-error", control.exit_on_error.to_string())?;
    }
    if control.strict_readiness != default.strict_readiness {
        line.flag("strict-readiness", control.strict_readiness.to_string())?;
    }
    for (flag, number, default) in [
        (
            "model-load-thread-count",
            control.model_load_thread_count,
            default.model_load_thread_count,
        ),
        (
            "model-load-retry-count",
            control.model_load_retry_count,
            default.model_load_retry_count,
        ),
    ] {
        if number != default {
            line.flag(flag, number.to_string())?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
