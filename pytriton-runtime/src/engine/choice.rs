#[cfg(tritonserver)]
use crate::triton::{LocateError, Located, Probe, ProbeError, SearchPaths};
#[cfg(tritonserver)]
use crate::worker::BACKEND_LIBRARY;

use super::{EngineChoice, TritonOptions};

/// The engine that serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// This process, and the reason for the choice.
    #[cfg(feature = "embedded")]
    Embedded(String),
    /// A tritonserver that runs on this system.
    #[cfg(tritonserver)]
    Tritonserver(Located, Probe),
}

/// The requested engine is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// This binary has no embedded engine.
    #[error(
        "this binary has no embedded engine: it is built without the feature `embedded` of pytriton"
    )]
    NoEmbedded,
    /// This binary has no tritonserver engine.
    #[error("this binary has no tritonserver engine: {reason}")]
    NoTritonserver {
        /// The reason.
        reason: &'static str,
    },
    /// tritonserver listens on its own ports, so it cannot serve a router.
    #[error(
        "tritonserver serves its own ports and cannot serve a router: use the embedded engine, or call `run`"
    )]
    Router,
    /// No tritonserver was found.
    #[cfg(tritonserver)]
    #[error("{0}; the command `install` downloads one")]
    Locate(#[from] LocateError),
    /// The tritonserver does not run.
    #[cfg(tritonserver)]
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

impl ChoiceError {
    /// Returns the error for a binary that is built without the tritonserver engine.
    #[cfg(not(tritonserver))]
    pub(crate) fn absent() -> Self {
        let reason = match cfg!(feature = "tritonserver") {
            true => {
                "tritonserver runs only on Linux on x86_64 and aarch64, and the binary is built for another system"
            }
            false => "it is built without the feature `tritonserver` of pytriton",
        };
        Self::NoTritonserver { reason }
    }
}

impl Choice {
    /// Chooses the engine that the options request. `auto` takes tritonserver if one is found that
    /// runs.
    ///
    /// # Errors
    ///
    /// Returns a [`ChoiceError`] if the requested engine is not compiled in, or if no working
    /// tritonserver is found.
    pub fn new(options: &TritonOptions) -> Result<Self, ChoiceError> {
        choose(options, || tritonserver(options))
    }

    /// Returns the engine that can serve a router, without its own ports.
    ///
    /// # Errors
    ///
    /// Returns [`ChoiceError::Router`] if tritonserver is requested, and
    /// [`ChoiceError::NoEmbedded`] if this binary has no embedded engine.
    pub fn without_ports(options: &TritonOptions) -> Result<Self, ChoiceError> {
        if options.engine == EngineChoice::Tritonserver {
            return Err(ChoiceError::Router);
        }
        embedded("a router supports no other engine".to_owned())
    }

    /// Logs the engine and the reason for the choice.
    pub fn log(&self) {
        match self {
            #[cfg(tritonserver)]
            Self::Tritonserver(located, _) => {
                let (path, found) = (located.binary.display(), located.found);
                tracing::info!("engine tritonserver: {path}, {found}");
            }
            #[cfg(feature = "embedded")]
            Self::Embedded(why) => tracing::info!("engine embedded: {why}"),
        }
    }
}

fn choose(
    options: &TritonOptions,
    tritonserver: impl FnOnce() -> Result<Choice, ChoiceError>,
) -> Result<Choice, ChoiceError> {
    if options.engine == EngineChoice::Embedded {
        return embedded("set by --engine".to_owned());
    }
    // An explicit path is a request for tritonserver.
    let asked_for = options.engine == EngineChoice::Tritonserver || options.tritonserver.is_some();
    match tritonserver() {
        Err(error) if !asked_for && cfg!(feature = "embedded") => embedded(error.to_string()),
        choice => choice,
    }
}

#[cfg(feature = "embedded")]
fn embedded(why: String) -> Result<Choice, ChoiceError> {
    Ok(Choice::Embedded(why))
}

#[cfg(not(feature = "embedded"))]
fn embedded(_: String) -> Result<Choice, ChoiceError> {
    Err(ChoiceError::NoEmbedded)
}

#[cfg(tritonserver)]
fn tritonserver(options: &TritonOptions) -> Result<Choice, ChoiceError> {
    let (located, probe) = find(&SearchPaths::new(options.tritonserver.clone()))?;
    Ok(Choice::Tritonserver(located, probe))
}

#[cfg(not(tritonserver))]
fn tritonserver(_: &TritonOptions) -> Result<Choice, ChoiceError> {
    Err(ChoiceError::absent())
}

/// Finds a tritonserver that runs on this system.
///
/// # Errors
///
/// Returns a [`ChoiceError`] if none is found, or if this binary has no tritonserver engine.
#[cfg(tritonserver)]
pub fn find(paths: &SearchPaths) -> Result<(Located, Probe), ChoiceError> {
    if let Err(reason) = BACKEND_LIBRARY {
        return Err(ChoiceError::NoTritonserver { reason });
    }
    let located = paths.locate()?;
    let probe = Probe::new(&located.binary)?;
    Ok((located, probe))
}

#[cfg(test)]
#[cfg(all(feature = "embedded", tritonserver))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use crate::triton::{Flags, Found};

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
    fn auto_takes_what_runs_and_an_explicit_choice_is_kept() {
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
        let got = |choice: Result<Choice, ChoiceError>| match choice {
            Ok(Choice::Embedded(_)) => "embedded",
            Ok(Choice::Tritonserver(..)) => "tritonserver",
            Err(_) => "error",
        };
        for (engine, folder, expected) in table {
            let installed = vec![(Found::Container, folder.clone())];
            let paths = SearchPaths {
                installed,
                ..SearchPaths::default()
            };
            assert_eq!(
                got(choose(&options(engine, None), || {
                    find(&paths).map(|(located, probe)| Choice::Tritonserver(located, probe))
                })),
                expected,
                "{engine:?} {folder:?}"
            );
        }
        // An explicit path is a request for tritonserver, even if the engine option is `auto`.
        assert_eq!(got(Choice::new(&options(Auto, Some(broken)))), "error");
    }
}
