//! Checks of the options for the tritonserver engine.

use std::sync::Arc;

use pytriton_core::registry::Registry;
use pytriton_engine::options::{ControlError, ControlMode, Options};
use pytriton_engine::port::Port;
use pytriton_engine::tls::{TlsError, inspect, plan};
use tokio::task::spawn_blocking;

use crate::triton::{Located, Version, version};

use super::TritonserverError;

/// Refuses options and models that the tritonserver engine does not support. `docs` states whether
/// this binary can serve the docs page and the OpenAI routes.
///
/// # Errors
///
/// Returns a [`TritonserverError`] that names the option or the model.
pub fn check_options(
    registry: &Registry,
    options: &Options,
    docs: bool,
) -> Result<(), TritonserverError> {
    let texts = || registry.served().iter().any(|spec| spec.openai.is_some());
    let checks_hosts = docs && (options.allow_docs || texts());
    let theirs = [
        (
            options.max_bytes_in_flight.is_some(),
            "--max-bytes-in-flight",
        ),
        // tritonserver does not check host names: the option is for the ports next to it.
        (
            options.allowed_hosts.is_some() && !checks_hosts,
            "--allowed-hosts",
        ),
        (options.access_log.is_some(), "--access-log"),
        (
            options.access.identity_header.is_some(),
            "--identity-header",
        ),
        (options.vertex_ai_address.is_some(), "--vertex-ai-address"),
        (options.sagemaker_address.is_some(), "--sagemaker-address"),
    ];
    let theirs = theirs
        .into_iter()
        .find_map(|(given, option)| given.then_some(option));
    if let Some(option) = theirs.or_else(|| options.limits.given()) {
        return Err(TritonserverError::EmbeddedOnly { option });
    }
    if let Some(spec) = registry.served().iter().find(|spec| spec.takes_identity) {
        return Err(TritonserverError::Identity {
            model: Arc::clone(&spec.name),
        });
    }
    if options.shares_port() {
        return Err(TritonserverError::SharedPort);
    }
    match options.docs_option() {
        Some(option) if !docs => Err(TritonserverError::NoDocs { option }),
        Some(option) if !options.allow_http => Err(TritonserverError::DocsNoHttp { option }),
        _ => Ok(()),
    }
}

/// Refuses histograms if tritonserver is too old for them and would ignore the setting.
pub(super) async fn check_histograms(
    options: &Options,
    located: &Located,
) -> Result<(), TritonserverError> {
    let mut values = options.triton.flags.values("metrics-config");
    if !values.any(|value| value.to_string_lossy().trim() == "histogram_latencies=true") {
        return Ok(());
    }
    let binary = located.binary.clone();
    let version = spawn_blocking(move || version(&binary)).await;
    // If the executable does not run, starting it reports why.
    match version.ok().and_then(Result::ok).flatten() {
        Some(version) if version < Version::HISTOGRAMS => {
            Err(TritonserverError::Histograms { version })
        }
        _ => Ok(()),
    }
}

/// Refuses polling without a model repository, because the models of this binary do not change.
pub(super) fn check_poll(options: &Options) -> Result<(), ControlError> {
    let polls = options.control.model_control_mode == ControlMode::Poll;
    match polls && !options.triton.flags.contains("model-repository") {
        true => Err(ControlError::Poll),
        false => Ok(()),
    }
}

/// Checks the files before tritonserver does, whose message would be misleading.
///
/// # Errors
///
/// Returns a [`TlsError`] that names the file or the option.
pub fn check_tls(options: &Options) -> Result<(), TlsError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_docs_page_options_are_refused() {
        let alone = "--allow-http=false";
        for (arguments, expected) in [
            (&[alone][..], ""),
            (
                &[alone, "--docs-port=0"],
                "--docs-port configures the docs page",
            ),
            (&[alone, "--docs-address=::1"], "--docs-address configures"),
            (&[alone, "--docs-port=0", "--allow-docs=false"], ""),
            (&["--docs-port=0", "--docs-address=::1"], ""),
            (&["--allowed-hosts=a"], ""),
            (
                &["--allowed-hosts=a", "--allow-docs=false"],
                "does not support --allowed-hosts",
            ),
        ] {
            let options = Options::parse(arguments).unwrap();
            let message = check_options(&Registry::default(), &options, true).err();
            let message = message.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.is_empty(), expected.is_empty(), "{message}");
            assert!(message.contains(expected), "{message}");
        }
        let options = Options::parse(["--docs-port=0"]).unwrap();
        let message = check_options(&Registry::default(), &options, false)
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("requires pytriton's feature `embedded`"),
            "{message}"
        );
    }
}
