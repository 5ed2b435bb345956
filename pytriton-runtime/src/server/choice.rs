use crate::engine::{ChoiceError, EngineChoice, TritonOptions};

use super::chosen_engine::ChosenEngine;
use super::embedded::Extensions;
use super::engine_reason::EngineReason;
use super::{ServerError, embedded, tritonserver};

/// Chooses the engine that the options request. `auto` takes tritonserver if one is found that
/// runs, unless the program has parts that only the embedded engine serves.
///
/// # Errors
///
/// Returns a [`ServerError`] if the requested engine is not compiled in, or if no working
/// tritonserver is found.
pub(super) fn choose(
    options: &TritonOptions,
    extensions: &Extensions,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    if let Some(part) = extensions.embedded_part() {
        return match requests_tritonserver(options) {
            true => Err(ChoiceError::Part { part }.into()),
            false => embedded::choose(EngineReason::Part(part)),
        };
    }
    choose_from(options, || tritonserver::choose(options))
}

/// Returns the engine that can serve a router, without its own ports.
///
/// # Errors
///
/// Returns [`ChoiceError::Router`] if tritonserver is requested, and [`ChoiceError::NoEmbedded`] if
/// this binary has no embedded engine.
pub(super) fn choose_without_ports(
    options: &TritonOptions,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    if options.engine == EngineChoice::Tritonserver {
        return Err(ChoiceError::Router.into());
    }
    embedded::choose(EngineReason::Router)
}

fn choose_from(
    options: &TritonOptions,
    tritonserver: impl FnOnce() -> Result<Box<dyn ChosenEngine>, ServerError>,
) -> Result<Box<dyn ChosenEngine>, ServerError> {
    if options.engine == EngineChoice::Embedded {
        return embedded::choose(EngineReason::Requested);
    }
    let asked_for = requests_tritonserver(options);
    match tritonserver() {
        Err(error) if !asked_for && cfg!(feature = "embedded") => {
            embedded::choose(EngineReason::NoTritonserver(error))
        }
        choice => choice,
    }
}

/// Returns whether tritonserver is requested. An explicit path is a request, too.
fn requests_tritonserver(options: &TritonOptions) -> bool {
    match options.engine {
        EngineChoice::Auto => options.tritonserver.is_some(),
        engine => engine == EngineChoice::Tritonserver,
    }
}

#[cfg(test)]
#[cfg(all(feature = "embedded", tritonserver))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use crate::triton::{Flags, Found, SearchPaths};

    use super::*;

    fn options(engine: EngineChoice, named: Option<PathBuf>) -> TritonOptions {
        TritonOptions {
            engine,
            tritonserver: named,
            restart: false,
            ready_timeout_secs: 600,
            flags: Flags::default(),
        }
    }

    #[test]
    fn auto_selects_an_available_engine_and_explicit_choices_are_kept() {
        use EngineChoice::{Auto, Embedded, Tritonserver};
        let root = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let folder = root.path().join(name);
            fs::create_dir_all(folder.join("bin")).unwrap();
            let path = folder.join("bin/tritonserver");
            fs::write(&path, format!("#!/bin/sh\necho '{text}'\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            folder
        };
        let (works, broken) = (put("works", "  --model-repository <x>"), put("broken", "?"));
        let missing = root.path().join("missing");
        let table = [
            (Auto, &works, "tritonserver"),
            (Auto, &broken, "embedded"),
            (Auto, &missing, "embedded"),
            (Embedded, &works, "embedded"),
            (Tritonserver, &works, "tritonserver"),
            (Tritonserver, &broken, "error"),
            (Tritonserver, &missing, "error"),
        ];
        let got = |choice: Result<Box<dyn ChosenEngine>, ServerError>| {
            let engine = choice.map(|engine| format!("{engine:?}"));
            let name = |text: String| match text.starts_with("Embedded") {
                true => "embedded",
                false => "tritonserver",
            };
            engine.map_or("error", name)
        };
        for (engine, folder, expected) in table {
            let installed = vec![(Found::Container, folder.clone())];
            let paths = SearchPaths {
                installed,
                ..SearchPaths::default()
            };
            assert_eq!(
                got(choose_from(&options(engine, None), || {
                    tritonserver::choose_in(&paths)
                })),
                expected,
                "{engine:?} {folder:?}"
            );
        }
        // An explicit path is a request for tritonserver, even if the engine option is `auto`.
        assert_eq!(
            got(choose(&options(Auto, Some(broken)), &Extensions::default())),
            "error"
        );
    }
}
