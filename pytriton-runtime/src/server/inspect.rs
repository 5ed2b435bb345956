use std::path::Path;

use crate::limits::Limits;
use crate::model::Registry;
use crate::triton::{
    Located, NativeRepository, Places, Probe, glibc, install, version, write_native,
};

use super::ServerError;

/// Fetches tritonserver; what to say when it is there.
pub(super) fn install() -> Result<String, ServerError> {
    let installed = install::install()?;
    let done = match installed.before {
        true => "was there already",
        false => "is installed",
    };
    let folder = installed.folder.display();
    Ok(format!(
        "tritonserver {} {done}: {folder}",
        install::VERSION
    ))
}

/// Writes down the models and their library; how tritonserver is started with them.
pub(super) fn native(folder: &Path, registry: &Registry) -> Result<String, ServerError> {
    let NativeRepository { backends, models } = write_native(folder, registry)?;
    let mut command = format!(
        "tritonserver --backend-directory={} --model-repository={}",
        backends.display(),
        models.display()
    );
    if registry.iter().any(|spec| spec.response_cache) {
        let size = Limits::default().response_cache_bytes;
        command.push_str(&format!(" --cache-config=local,size={size}"));
    }
    Ok(command)
}

/// What there is to know of the tritonserver that is or is not there.
pub(super) fn report(places: &Places) -> Result<Vec<String>, ServerError> {
    let located = match places.locate() {
        Ok(located) => located,
        Err(error) => return Ok(vec![format!("{error}; `install` fetches one")]),
    };
    match Probe::new(&located.binary) {
        Ok(probe) => description(&located, &probe),
        Err(error) => Ok(vec![error.to_string()]),
    }
}

/// Path, version, C library and options of a tritonserver that runs here.
pub(super) fn description(located: &Located, probe: &Probe) -> Result<Vec<String>, ServerError> {
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
            "it runs with {}",
            glibc().unwrap_or_else(|| "this system's C library".to_owned())
        ),
        format!("its options: {}", flags.join(" ")),
    ])
}
