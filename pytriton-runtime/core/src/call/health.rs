use std::fmt;
use std::sync::Arc;

use super::ModelError;

/// Receives fatal errors of a model.
#[derive(Clone)]
pub struct Health(Option<Arc<dyn Fn(String) + Send + Sync>>);

impl Health {
    /// Ignores all errors.
    pub(crate) const IGNORED: Self = Self(None);

    /// Calls a closure, which must not block.
    pub fn new(report: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(report)))
    }

    /// Reports an error if it is fatal. `panics` states whether panics are fatal.
    pub fn note(&self, error: &ModelError, panics: bool) {
        if let Some(report) = &self.0
            && error.is_unrecoverable(panics)
        {
            report(error.to_string());
        }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Health")
    }
}
