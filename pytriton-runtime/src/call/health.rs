use std::fmt;
use std::sync::Arc;

use super::ModelError;

/// Who is told that a model is beyond repair.
#[derive(Clone)]
pub(crate) struct Health(Option<Arc<dyn Fn(String) + Send + Sync>>);

impl Health {
    /// Nobody.
    pub(crate) const UNHEARD: Self = Self(None);

    /// Somebody, whom it must not block.
    pub(crate) fn new(told: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Tells of an error after which nothing can be answered; `panics` says whether a panic is one.
    pub(crate) fn note(&self, error: &ModelError, panics: bool) {
        if let Some(told) = &self.0
            && error.is_unrecoverable(panics)
        {
            told(error.to_string());
        }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Health")
    }
}
