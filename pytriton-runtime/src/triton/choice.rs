use super::{EngineChoice, LocateError, Places, ProbeError, TritonOptions};
#[cfg(target_os = "linux")]
use super::{Located, Probe};

/// The flags of tritonserver that the embedded engine understands too.
const EMBEDDED: [&str; 1] = ["cache-config"];

/// The engine that serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// This process, and why.
    Embedded(String),
    /// A tritonserver that runs on this system.
    #[cfg(target_os = "linux")]
    Tritonserver(Located, Probe),
}

/// Why there is no tritonserver although there must be one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// There is none.
    #[error("{0}; `install` fetches one")]
    Locate(#[from] LocateError),
    /// The system is another one.
    #[cfg(not(target_os = "linux"))]
    #[error("the tritonserver engine runs on Linux alone")]
    System,
    /// It does not run.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

impl Choice {
    /// Chooses as the options say; `auto` takes tritonserver where one is found that runs.
    ///
    /// # Errors
    ///
    /// A [`ChoiceError`] when a tritonserver is asked for and there is none that runs.
    pub fn new(options: &TritonOptions, places: &Places) -> Result<Self, ChoiceError> {
        if options.engine == EngineChoice::Embedded {
            return Ok(Self::Embedded("as asked for".to_owned()));
        }
        let asked_for = options.engine == EngineChoice::Tritonserver || places.named.is_some();
        match tritonserver(places) {
            Ok(choice) => Ok(choice),
            Err(error) if asked_for => Err(error),
            Err(error) => Ok(Self::Embedded(error.to_string())),
        }
    }

    /// Says in one line which engine serves and why.
    pub fn log(&self, options: &TritonOptions) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Tritonserver(located, _) => {
                let (path, found) = (located.binary.display(), located.found);
                tracing::info!("engine tritonserver: {path}, {found}");
            }
            Self::Embedded(why) => {
                tracing::info!("engine embedded: {why}");
                let flags = options.flags.iter().map(|(flag, _)| flag);
                for flag in flags.filter(|flag| !EMBEDDED.contains(flag)) {
                    tracing::warn!("option --{flag} has no effect: it is tritonserver's");
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn tritonserver(places: &Places) -> Result<Choice, ChoiceError> {
    let located = places.locate()?;
    let probe = Probe::new(&located.binary)?;
    Ok(Choice::Tritonserver(located, probe))
}

#[cfg(not(target_os = "linux"))]
fn tritonserver(_: &Places) -> Result<Choice, ChoiceError> {
    Err(ChoiceError::System)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::triton::{Flags, Found};

    fn options(engine: EngineChoice) -> TritonOptions {
        TritonOptions {
            engine,
            tritonserver: None,
            restart: false,
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
            let places = Places {
                installed,
                ..Places::default()
            };
            assert_eq!(
                got(Choice::new(&options(engine), &places)),
                expected,
                "{engine:?} {folder:?}"
            );
        }
        // One that is named is meant, whatever the engine option leaves open.
        let places = Places {
            named: Some(broken),
            ..Places::default()
        };
        assert_eq!(got(Choice::new(&options(Auto), &places)), "error");
    }
}
