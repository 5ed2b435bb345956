use std::path::{Path, PathBuf};
use std::{env, fs};

use pytriton_core::registry::Registry;

use super::WriteError;
use super::repository::{create, replace, write_repository};

/// The prefix of a backend library's name, after `lib`.
const PREFIX: &str = "triton_";

/// A crate whose shared library is a native Triton backend. `pytriton::backend!()` registers one in
/// every binary that links the crate.
#[derive(Debug, Clone, Copy)]
pub struct BackendLibrary {
    /// The path of the module that calls the macro. It begins with the name of the crate, which is
    /// the name of the library.
    pub module: &'static str,
    /// The package of the crate.
    pub package: &'static str,
}

inventory::collect!(BackendLibrary);

/// The folders for a tritonserver that runs the models in its own process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeRepository {
    /// The value for `--backend-directory`.
    pub backends: PathBuf,
    /// The value for `--model-repository`.
    pub models: PathBuf,
}

/// Writes the models of a registry, and the library that runs them, into a folder.
///
/// Other files in the folder are left alone. A tritonserver that has loaded an older library keeps
/// it.
///
/// # Errors
///
/// Returns a [`WriteError`] that names the model, the path, or what has to be built.
pub fn write_native(directory: &Path, registry: &Registry) -> Result<NativeRepository, WriteError> {
    let mut libraries = inventory::iter::<BackendLibrary>();
    let library = libraries.next().ok_or(WriteError::NoBackend)?;
    let program = Path::new("/proc/self/exe");
    let program = env::current_exe().map_err(|source| WriteError::Io {
        path: program.to_owned(),
        source,
    })?;
    let built = library.locate(program.parent().unwrap_or(&program))?;
    let written = NativeRepository {
        backends: directory.join("backends"),
        models: directory.join("models"),
    };
    write_repository(&written.models, library.name(), registry)?;
    let folder = written.backends.join(library.name());
    create(&folder)?;
    replace(&folder.join(library.file()), |draft| {
        fs::copy(&built, draft).map(drop)
    })?;
    Ok(written)
}

impl BackendLibrary {
    /// Returns whether tritonserver would find the library of the crate that contains a module.
    pub const fn is_well_named(module: &str) -> bool {
        matches!(
            module.as_bytes(),
            [b't', b'r', b'i', b't', b'o', b'n', b'_', first, ..] if *first != b':'
        )
    }

    /// Returns the name of the backend.
    pub fn name(&self) -> &'static str {
        let library = self.library();
        library.strip_prefix(PREFIX).unwrap_or(library)
    }

    fn library(&self) -> &'static str {
        self.module.split("::").next().unwrap_or_default()
    }

    fn file(&self) -> String {
        format!("lib{}.so", self.library())
    }

    /// Returns the path of the library, which is built next to the program in `folder`.
    fn locate(&self, folder: &Path) -> Result<PathBuf, WriteError> {
        // `cargo run` builds into the first; only `cargo build` puts a link into the second.
        let searched = vec![folder.join("deps"), folder.to_owned()];
        let mut files = searched.iter().map(|folder| folder.join(self.file()));
        files.find(|file| file.is_file()).ok_or_else(|| {
            let release = if cfg!(debug_assertions) {
                ""
            } else {
                "--release "
            };
            WriteError::NoLibrary {
                file: self.file(),
                searched,
                command: format!("cargo build {release}-p {}", self.package),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::testing::IDENTITY;

    use super::*;

    const LIBRARY: BackendLibrary = BackendLibrary {
        module: "triton_of_ours::inner",
        package: "ours",
    };

    #[test]
    fn backend_has_the_name_of_the_crate() {
        assert_eq!(LIBRARY.name(), "of_ours");
        assert_eq!(LIBRARY.file(), "libtriton_of_ours.so");
        for (module, fits) in [
            ("triton_a", true),
            ("triton_a::b", true),
            ("triton_", false),
            ("triton_::b", false),
            ("triton", false),
            ("pytriton_a", false),
            ("a::triton_b", false),
        ] {
            assert_eq!(BackendLibrary::is_well_named(module), fits, "{module}");
        }
    }

    #[test]
    fn cargo_target_folder_is_searched_first() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("deps")).unwrap();
        let error = LIBRARY.locate(folder).unwrap_err().to_string();
        let expected = format!(
            "libtriton_of_ours.so was not found in {0}/deps or in {0}: build it with `cargo build -p ours`; the manifest needs \
             `crate-type = [\"cdylib\", \"rlib\"]`",
            folder.display()
        );
        assert_eq!(error.replace("--release ", ""), expected);
        // From the last candidate to the first.
        for place in [folder, &folder.join("deps")] {
            let file = place.join("libtriton_of_ours.so");
            fs::write(&file, "").unwrap();
            assert_eq!(LIBRARY.locate(folder).unwrap(), file);
        }
    }

    #[test]
    fn a_binary_without_a_backend_is_reported_with_advice() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let registry = Registry::new(&[&IDENTITY]).unwrap();
        let error = write_native(&target, &registry).unwrap_err();
        assert!(matches!(error, WriteError::NoBackend), "{error}");
        assert!(!target.exists());
    }
}
