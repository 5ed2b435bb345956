use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::standard::StandardError;
use super::{Error, ErrorKind};

/// A call of another model failed.
///
/// `?` converts it to an [`Error`] of the same kind, so that the client of the calling model
/// receives the status of the called model: for example 503 if its queue is full.
#[derive(Debug)]
pub struct CallError {
    model: Arc<str>,
    error: StandardError,
}

impl CallError {
    pub(crate) fn new(model: &Arc<str>, error: Error) -> Self {
        Self {
            model: Arc::clone(model),
            error: StandardError::from(error),
        }
    }

    /// Returns the name of the called model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.error.attributes.kind
    }

    /// Returns how long the caller should wait before it retries, if the called model set it.
    pub fn retry_time(&self) -> Option<Duration> {
        self.error.attributes.retry_after
    }
}

/// Displays the name of the model and the message; in the alternate form (`{:#}`) followed by those
/// of the sources.
impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the call of model '{}' failed: ", self.model)?;
        self.error.fmt(f)
    }
}

impl StdError for CallError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.error.source()
    }
}
