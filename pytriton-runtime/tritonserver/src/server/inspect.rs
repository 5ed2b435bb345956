use std::path::Path;
use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registry;
use pytriton_engine::Limits;

use crate::triton::{
    BACKEND, Located, NativeRepository, Probe, glibc, install, version, write_native,
    write_repository,
};

use super::TritonserverError;

/// Installs tritonserver and returns a message.
///
/// # Errors
///
/// Returns a [`TritonserverError`] if it cannot be downloaded or written.
pub fn install() -> Result<String, TritonserverError> {
    let installed = install::install()?;
    let done = match installed.before {
        true => "is already installed",
        false => "is installed",
    };
    let folder = installed.folder.display();
    Ok(format!(
        "tritonserver {} {done}: {folder}",
        install::VERSION
    ))
}

/// Writes the models as a Triton repository, with their library for a native backend, and returns a
/// message.
///
/// # Errors
///
/// Returns a [`TritonserverError`] if the models or the library cannot be written.
pub fn write_models(
    folder: &Path,
    native: bool,
    registry: &Registry,
) -> Result<Option<String>, TritonserverError> {
    match native {
        true => write_with_library(folder, registry).map(Some),
        false => Ok(write_repository(folder, BACKEND, registry).map(|()| None)?),
    }
}

/// Writes the models and their library. Returns the command that starts tritonserver with them.
fn write_with_library(folder: &Path, registry: &Registry) -> Result<String, TritonserverError> {
    if let Some(spec) = registry.iter().find(|spec| !spec.callees.is_empty()) {
        return Err(TritonserverError::NativeCalls {
            model: Arc::clone(&spec.name),
        });
    }
    if let Some(spec) = registry.iter().find(|spec| spec.takes_identity) {
        return Err(TritonserverError::NativeIdentity {
            model: Arc::clone(&spec.name),
        });
    }
    let takes =
        |spec: &Arc<ModelSpec>| Some((Arc::clone(&spec.name), *spec.shared_states.first()?));
    if let Some((model, state)) = registry.iter().find_map(takes) {
        return Err(TritonserverError::NativeStates { model, state });
    }
    let NativeRepository { backends, models } = write_native(folder, registry)?;
    let mut command = format!(
        "tritonserver --backend-directory={} --model-repository={}",
        backends.display(),
        models.display()
    );
    if registry.iter().any(|spec| spec.call_options.response_cache) {
        let size = Limits::default().response_cache_bytes;
        command.push_str(&format!(" --cache-config=local,size={size}"));
    }
    Ok(command)
}

/// Describes a tritonserver: path, version, C library and options.
///
/// # Errors
///
/// Returns a [`TritonserverError`] if the executable does not run.
pub fn description(located: &Located, probe: &Probe) -> Result<Vec<String>, TritonserverError> {
    let version = version(&located.binary)?;
    let version = version.map_or_else(
        || "of unknown version".to_owned(),
        |version| version.to_string(),
    );
    let flags: Vec<&str> = probe.flags.iter().map(String::as_str).collect();
    Ok(vec![
        format!(
            "tritonserver {version}: {}, {}",
            located.binary.display(),
            located.found
        ),
        format!(
            "C library: {}",
            glibc().unwrap_or_else(|| "unknown".to_owned())
        ),
        format!("tritonserver options: {}", flags.join(" ")),
    ])
}

#[cfg(test)]
mod tests {
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn native_backend_does_not_know_the_client() {
        let mut model = IDENTITY.registration().unwrap();
        Arc::make_mut(&mut model.spec).takes_identity = true;
        let mut registry = Registry::default();
        registry.insert(model).unwrap();
        let folder = Path::new("/nonexistent");
        let error = write_models(folder, true, &registry).unwrap_err();
        let text = error.to_string();
        let expected = "model 'Identity' takes the identity of the client, which a native backend does not know: take no `&Identity`";
        assert!(text.starts_with(expected), "{text}");
    }
}
