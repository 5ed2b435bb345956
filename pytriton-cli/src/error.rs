use std::path::PathBuf;

use pytriton_onnx::ValueError;

/// A file cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// The path has no file name, from which the name of the model would be derived.
    #[error("`{}` has no file name", path.display())]
    NoName { path: PathBuf },
    /// The network cannot be loaded.
    #[error("`{}`", path.display())]
    Load {
        path: PathBuf,
        source: pytriton_onnx::Error,
    },
    /// Inputs or outputs cannot be those of a model.
    #[error("`{}`: {}", path.display(), all(errors))]
    Values {
        path: PathBuf,
        errors: Vec<ValueError>,
    },
}

fn all(errors: &[ValueError]) -> String {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    errors.join("; ")
}
