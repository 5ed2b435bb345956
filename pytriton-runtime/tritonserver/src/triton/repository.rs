use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{fs, process};

use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registry;
use thiserror::Error;

use super::{ConfigError, config_text};

/// The model repository cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The versions of a model cannot share one configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The model's name cannot be the name of a folder. Triton requires a folder with the name of
    /// the model.
    #[error("tritonserver cannot serve model `{name}`: its name must be a valid folder name")]
    Name {
        /// The model's name.
        name: Arc<str>,
    },
    /// A file or folder cannot be written.
    #[error("cannot write the model repository at {path}: {source}", path = path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// No crate of this binary calls `pytriton::backend!()`.
    #[error(
        "this binary has no native backend: call `pytriton::backend!()` in the library crate of its models, and name \
         that crate in the binary (`use triton_<backend> as _;`)"
    )]
    NoBackend,
    /// The shared library of the native backend was not found.
    #[error(
        "{file} was not found {places}: build it with `{command}`; the manifest needs `crate-type = [\"cdylib\", \"rlib\"]`",
        places = listed(searched)
    )]
    NoLibrary {
        /// Its file name.
        file: String,
        /// The folders that were searched.
        searched: Vec<PathBuf>,
        /// The command that builds it.
        command: String,
    },
}

fn listed(folders: &[PathBuf]) -> String {
    let folders = folders
        .iter()
        .map(|folder| format!("in {}", folder.display()));
    folders.collect::<Vec<_>>().join(" or ")
}

/// Writes the models of a registry into a folder in Triton's layout: `<model>/config.pbtxt`,
/// `<model>/<version>/`.
///
/// `backend` is the name of the backend that runs them. Other files in the folder are left alone.
/// Each configuration is written atomically.
///
/// # Errors
///
/// Returns a [`WriteError`] that names the model or the path.
pub fn write_repository(
    directory: &Path,
    backend: &str,
    registry: &Registry,
) -> Result<(), WriteError> {
    let mut models: BTreeMap<&str, Vec<&ModelSpec>> = BTreeMap::new();
    for spec in registry.iter() {
        models.entry(&spec.name).or_default().push(spec);
    }
    // Nothing is written if one of the models is invalid.
    let mut files = Vec::new();
    for versions in models.values() {
        let [spec, others @ ..] = versions.as_slice() else {
            continue;
        };
        let config = config_text(backend, spec, others)?;
        files.push((directory.join(folder(spec)?), versions, config));
    }
    create(directory)?;
    for (folder, versions, config) in files {
        for spec in versions {
            create(&folder.join(spec.version.to_string()))?;
            for (&output, labels) in &spec.labels {
                let file = folder.join(spec.label_filename(output));
                replace(&file, |draft| fs::write(draft, label_lines(labels)))?;
            }
        }
        replace(&folder.join("config.pbtxt"), |draft| {
            fs::write(draft, config)
        })?;
    }
    Ok(())
}

/// Normalizes line ends: tritonserver would keep a carriage return as part of the label.
fn label_lines(labels: &str) -> String {
    labels.lines().map(|label| format!("{label}\n")).collect()
}

fn folder(spec: &ModelSpec) -> Result<&Path, WriteError> {
    let path = Path::new(&*spec.name);
    let mut components = path.components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(name)), None) if *name == *spec.name.as_ref() => Ok(path),
        _ => Err(WriteError::Name {
            name: Arc::clone(&spec.name),
        }),
    }
}

pub(super) fn create(path: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(path).map_err(|source| WriteError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file atomically. Processes that have the old file open keep it.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<(), WriteError> {
    let draft = path.with_extension(format!("{}.tmp", process::id()));
    let written = write(&draft).and_then(|()| fs::rename(&draft, path));
    written.map_err(|source| {
        // The draft may not exist.
        let _ = fs::remove_file(&draft);
        WriteError::Io {
            path: path.to_owned(),
            source,
        }
    })
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;

    use crate::triton::BACKEND;

    use super::*;

    const SECOND: ModelDeclaration = ModelDeclaration {
        options: ModelOptions {
            version: 2,
            ..IDENTITY.options
        },
        ..IDENTITY
    };
    const OTHER: ModelDeclaration = ModelDeclaration {
        options: ModelOptions {
            name: "Other",
            ..IDENTITY.options
        },
        ..IDENTITY
    };

    fn files(directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files(&path));
            }
            found.push(path);
        }
        found.sort();
        found
    }

    #[test]
    fn each_model_has_a_folder_with_its_versions() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::new(&[&IDENTITY, &SECOND, &OTHER]).unwrap();
        let mut before = None;
        for _ in 0..2 {
            write_repository(directory.path(), BACKEND, &registry).unwrap();
            let relative: Vec<_> = files(directory.path())
                .into_iter()
                .map(|path| path.strip_prefix(directory.path()).unwrap().to_owned())
                .collect();
            let expected = [
                "Identity",
                "Identity/1",
                "Identity/2",
                "Identity/config.pbtxt",
                "Other",
                "Other/1",
                "Other/config.pbtxt",
            ];
            assert_eq!(relative, expected.map(PathBuf::from));
            let text = fs::read(directory.path().join("Identity/config.pbtxt")).unwrap();
            assert_eq!(before.get_or_insert_with(|| text.clone()), &text);
        }
    }

    #[test]
    fn names_outside_the_folder_are_refused() {
        for name in ["", ".", "..", "a/b", "/a", "a/", "../a", "./a"] {
            let declaration = ModelDeclaration {
                options: ModelOptions {
                    name,
                    ..IDENTITY.options
                },
                ..IDENTITY
            };
            let directory = tempfile::tempdir().unwrap();
            let registry = Registry::new(&[&declaration, &OTHER]).unwrap();
            let error = write_repository(directory.path(), BACKEND, &registry).unwrap_err();
            assert!(matches!(error, WriteError::Name { .. }), "{name}: {error}");
            assert!(files(directory.path()).is_empty(), "{name}");
        }
    }

    #[test]
    fn unwritable_path_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let registry = Registry::new(&[&IDENTITY]).unwrap();
        let error = write_repository(file.path(), BACKEND, &registry).unwrap_err();
        assert!(
            error.to_string().contains(file.path().to_str().unwrap()),
            "{error}"
        );
    }
}
