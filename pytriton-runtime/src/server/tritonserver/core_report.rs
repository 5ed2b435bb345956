use std::error::Error as StdError;
use std::iter::successors;
use std::path::Path;
use std::{env, fs};

use pytriton_triton_core::{Core, CoreError, CoreOptions, Library, LogLevels, ModelControl};
use serde_json::Value;
use thiserror::Error;

use crate::server::run::DESCRIBE_CORE;
use crate::triton::{Located, Version, program_output};

/// The start of the lines of that process. The library writes to the same output.
const PREFIX: &str = "triton-core: ";

/// `check` could not open the library of an installed Triton: it is missing, is that of another
/// version, lacks another library, or crashed. Only programs that use Triton's core need it.
#[derive(Debug, Error)]
#[error("Triton's core cannot be opened: {reason}")]
struct Unopened {
    reason: String,
}

/// Describes the core of a tritonserver and its backends. The core is opened by a child process, so
/// that a crash of the library does not end this one.
pub(super) fn core_lines(located: &Located) -> Vec<String> {
    let Some(root) = located.root() else {
        return Vec::new();
    };
    let mut lines = match opened(&root) {
        Ok(lines) => lines,
        Err(reason) => vec![Unopened { reason }.to_string()],
    };
    let backends = located.backends().map(|folder| backends(&folder));
    lines.push(match backends.unwrap_or_default() {
        none if none.is_empty() => "Triton's backends: only that of this program".to_owned(),
        some => format!("Triton's backends: {}", some.join(" ")),
    });
    lines
}

/// Returns the lines of a child process that opens the core.
fn opened(root: &Path) -> Result<Vec<String>, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let arguments = [DESCRIBE_CORE.as_ref(), root.as_os_str()];
    let output = program_output(&program, &arguments).map_err(|error| error.to_string())?;
    let lines = output.lines().filter_map(|line| line.strip_prefix(PREFIX));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    match lines.is_empty() {
        true => Err(output.lines().last().unwrap_or("it crashed").to_owned()),
        false => Ok(lines),
    }
}

/// Opens the core of an installation in this process, and describes it.
pub(in crate::server) fn describe(root: &Path) -> String {
    let lines = describe_library(root).unwrap_or_else(|reason| {
        let error = Unopened { reason }.to_string();
        error.lines().map(str::to_owned).collect()
    });
    let lines = lines.iter().map(|line| format!("{PREFIX}{line}\n"));
    lines.collect()
}

fn describe_library(root: &Path) -> Result<Vec<String>, String> {
    let library = Library::of_installation(root).map_err(|error| reason(&error))?;
    let metadata = metadata(library, root).map_err(|error| reason(&error))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| reason(&error))?;
    let version = metadata["version"].as_str().unwrap_or_default();
    let extensions = metadata["extensions"].as_array();
    let extensions = extensions.into_iter().flatten().filter_map(Value::as_str);
    let extensions: Vec<&str> = extensions.collect();
    let mut lines = vec![
        format!(
            "Triton's core {version}: {}, API {}",
            library.path().display(),
            library.api_version()
        ),
        format!("Triton's extensions: {}", extensions.join(" ")),
    ];
    lines.extend(vulnerable(version));
    Ok(lines)
}

/// Returns the messages of an error and of its sources.
fn reason(error: &dyn StdError) -> String {
    let errors = successors(Some(error), |&error| error.source());
    let messages: Vec<String> = errors.map(ToString::to_string).collect();
    messages.join(": ")
}

/// Returns the metadata of a server without models.
fn metadata(library: Library, root: &Path) -> Result<String, CoreError> {
    let mut options = CoreOptions::new(root);
    options.control = ModelControl::Explicit(Vec::new());
    options.metrics = false;
    options.log = LogLevels {
        info: false,
        warn: false,
        error: false,
        verbose: 0,
    };
    Core::start(library, &options, None)?.metadata()
}

/// Returns a warning if a version has published vulnerabilities.
fn vulnerable(version: &str) -> Option<String> {
    let version: Version = version.parse().ok()?;
    (version < Version::SAFE).then(|| {
        format!(
            "Triton {version} has published vulnerabilities: do not expose it to untrusted clients, and upgrade to {} or later",
            Version::SAFE
        )
    })
}

/// Returns the names of the backends in a folder. Each is a folder with a library or a Python
/// module.
fn backends(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let files = [format!("libtriton_{name}.so"), "model.py".to_owned()];
        let is_backend = files.iter().any(|file| entry.path().join(file).is_file());
        is_backend.then_some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use pytriton_triton_core::LibraryError;

    use super::*;

    #[test]
    fn folders_with_a_library_or_a_module_are_backends() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path();
        assert_eq!(backends(&folder.join("missing")), [""; 0]);
        for (name, file) in [
            ("python", "libtriton_python.so"),
            ("vllm", "model.py"),
            ("empty", "README"),
            ("other", "libtriton_python.so"),
        ] {
            fs::create_dir(folder.join(name)).unwrap();
            fs::write(folder.join(name).join(file), "").unwrap();
        }
        assert_eq!(backends(folder), ["python", "vllm"]);
    }

    #[test]
    fn missing_library_is_reported_with_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let expected = format!(
            "triton-core: Triton's core cannot be opened: {}/lib contains no libtritonserver.so\n",
            root.path().display()
        );
        assert_eq!(describe(root.path()), expected);
    }

    #[test]
    fn reasons_contain_the_sources() {
        let error = LibraryError::Initialize {
            path: "/lib".into(),
            source: CoreError::Stopping,
        };
        let expected = "cannot initialize /lib: the server is stopping";
        assert_eq!(reason(&error), expected);
    }

    #[test]
    fn old_versions_are_vulnerable() {
        for (version, expected) in [
            ("2.51.0", true),
            ("2.70.9", true),
            ("2.71.0", false),
            ("3.0.0", false),
            ("unknown", false),
        ] {
            assert_eq!(vulnerable(version).is_some(), expected, "{version}");
        }
    }
}
