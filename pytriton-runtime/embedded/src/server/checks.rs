//! Checks of the options for the embedded engine.

use std::sync::Arc;

use pytriton_core::registry::Registry;
use pytriton_engine::Limits;
use pytriton_engine::access::{Access, Follow};
use pytriton_engine::options::{ControlError, ControlMode, Options, UnsupportedOptions};
use pytriton_engine::tls::{TlsError, plan};
use pytriton_scheduler::cache::{CacheConfigError, cache_bytes};

use crate::metrics::MetricsConfig;
use crate::trace_extension::{TraceConfigError, Tracer, trace_config};

use super::EmbeddedError;
use super::keepalive::KEEPALIVE;

/// Returns whether a model has OpenAI routes.
pub(super) fn has_text_models(registry: &Registry) -> bool {
    registry.iter().any(|spec| spec.openai.is_some())
}

/// Refuses options that leave the OpenAI routes without a port, or an address that has no effect.
///
/// # Errors
///
/// Returns an [`EmbeddedError`] that names the option.
pub fn check_openai_port(options: &Options) -> Result<(), EmbeddedError> {
    match (options.openai_port, options.openai_address) {
        (Some(_), _) => Ok(()),
        (None, Some(_)) => Err(EmbeddedError::OpenAiAddress),
        (None, None) if !options.allow_http => Err(EmbeddedError::NoOpenAiPort),
        (None, None) => Ok(()),
    }
}

/// Refuses an address for the docs page if the page has no port of its own.
///
/// # Errors
///
/// Returns an [`EmbeddedError`] that names the option.
pub fn check_docs_port(options: &Options) -> Result<(), EmbeddedError> {
    match (options.docs_port, options.docs_address) {
        (None, Some(_)) if options.allow_docs => Err(EmbeddedError::DocsAddress),
        _ => Ok(()),
    }
}

/// Returns the access rules of the options.
///
/// # Errors
///
/// Returns an [`EmbeddedError`] if an option or the token file is invalid.
pub fn access(options: &Options) -> Result<Arc<Access>, EmbeddedError> {
    let flags = &options.triton.flags;
    Ok(Arc::new(Access::new(
        &options.access,
        flags,
        Follow::Apply,
    )?))
}

/// Refuses model control options that this engine does not support.
pub(super) fn check_control(registry: &Registry, options: &Options) -> Result<(), ControlError> {
    let control = &options.control;
    control.check()?;
    if control.model_control_mode == ControlMode::Poll {
        return Err(ControlError::Poll);
    }
    let unknown = |name: &&str| registry.iter().all(|spec| *spec.name != **name);
    for model in control.named().filter(unknown) {
        tracing::error!("failed to poll model '{model}': model not found in any model repository.");
        if control.exit_on_error {
            let model = model.to_owned();
            return Err(ControlError::Unknown { model });
        }
    }
    Ok(())
}

/// Returns the metrics configuration of the options.
pub(super) fn metrics(options: &Options) -> Result<MetricsConfig, EmbeddedError> {
    Ok(MetricsConfig::new(
        options.triton.flags.values("metrics-config"),
    )?)
}

/// Refuses options that this engine does not support, and returns the limits of the others.
///
/// # Errors
///
/// Returns an [`EmbeddedError`] that names all unsupported options.
pub fn checked(options: &Options) -> Result<Limits, EmbeddedError> {
    UnsupportedOptions::check(&options.triton)?;
    Ok(limits(options)?)
}

/// Returns the limits of the options.
///
/// # Errors
///
/// Returns a [`CacheConfigError`] if the value of `--cache-config` is invalid.
pub fn limits(options: &Options) -> Result<Limits, CacheConfigError> {
    let cache = cache_bytes(options.triton.flags.values("cache-config"))?;
    let bounds = options.bounds();
    Ok(Limits {
        response_cache_bytes: cache.unwrap_or(bounds.response_cache_bytes),
        ..bounds
    })
}

/// Refuses TLS options if no port is opened.
pub(super) fn check_no_tls(options: &Options) -> Result<(), TlsError> {
    let plan = plan(&options.tls, &options.triton.flags)?;
    match plan.iter().next() {
        Some((port, _)) => Err(TlsError::Router { port: port.name() }),
        None => Ok(()),
    }
}

/// Refuses options about connections and their requests if no port is opened.
pub(super) fn check_no_port_options(options: &Options) -> Result<(), EmbeddedError> {
    let flags = &options.triton.flags;
    let log = options.access_log.is_some().then_some("access-log");
    let mut keepalive = KEEPALIVE.into_iter().filter(|name| flags.contains(name));
    match log.or_else(|| keepalive.next()) {
        Some(option) => Err(EmbeddedError::NoPort { option }),
        None => Ok(()),
    }
}

/// Creates the tracer with the trace settings of the options.
pub(super) fn tracer(options: &Options) -> Result<Tracer, TraceConfigError> {
    let settings = trace_config(options.triton.flags.values("trace-config"))?;
    Tracer::start(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openai_port_options_are_validated() {
        let table: [(&[&str], &str); 6] = [
            (&[], ""),
            (&["--openai-port=0"], ""),
            (&["--allow-http=false", "--openai-port=0"], ""),
            (&["--allow-http=false"], "--openai-port"),
            (&["--openai-address=::1"], "--openai-address"),
            (
                &["--allow-http=false", "--openai-address=::1"],
                "--openai-address",
            ),
        ];
        for (arguments, expected) in table {
            let options = Options::parse(arguments).unwrap();
            let error = check_openai_port(&options).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(error.is_empty(), expected.is_empty(), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn router_refuses_tls_options() {
        for port in ["http", "grpc", "metrics", "openai"] {
            let arguments = ["use-ssl=true", "server-cert=c", "server-key=k"]
                .map(|option| format!("--{port}-{option}"));
            let options = Options::parse(arguments.each_ref().map(String::as_str)).unwrap();
            let error = check_no_tls(&options).unwrap_err().to_string();
            assert!(error.contains(&format!("--{port}-use-ssl")), "{error}");
        }
    }

    #[test]
    fn router_refuses_options_of_ports() {
        for argument in ["--access-log=json", "--grpc-keepalive-timeout=5"] {
            let options = Options::parse([argument]).unwrap();
            let error = check_no_port_options(&options).unwrap_err().to_string();
            let (option, _) = argument.split_once('=').unwrap();
            assert!(error.starts_with(option), "{error}");
        }
        check_no_port_options(&Options::parse::<&str>([]).unwrap()).unwrap();
    }
}
