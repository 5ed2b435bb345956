//! An [`Error`] as a [`std::error::Error`], in a form from which its kind can be restored.

use std::error::Error as StdError;
use std::fmt;

use super::Error;
use super::displayed::note;
use super::error::Attributes;

/// An [`Error`] within other errors. Its source is its [`Attributes`], because a type such as
/// `anyhow::Error` reveals only the sources of the error that it contains.
#[derive(Debug)]
pub(super) struct StandardError {
    message: String,
    attributes: AttributesError,
}

/// The attributes of an [`Error`], as a link in a chain of sources.
#[derive(Debug)]
pub(super) struct AttributesError {
    pub(super) attributes: Attributes,
    source: Box<dyn StdError + Send + Sync>,
}

impl From<Error> for StandardError {
    fn from(error: Error) -> Self {
        Self {
            message: error.to_string(),
            attributes: AttributesError {
                attributes: error.attributes,
                source: error.source,
            },
        }
    }
}

impl fmt::Display for StandardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note(self.attributes.attributes);
        f.write_str(&self.message)
    }
}

impl StdError for StandardError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.attributes)
    }
}

impl fmt::Display for AttributesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note(self.attributes);
        self.attributes.kind.fmt(f)
    }
}

impl StdError for AttributesError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.source()
    }
}
