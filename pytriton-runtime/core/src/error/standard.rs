use std::error::Error as StdError;
use std::fmt;

use super::Error;
use super::displayed::note;
use super::error::{Attributes, Chain};

/// An [`Error`] as a [`std::error::Error`]. Its kind is found when it is displayed.
#[derive(Debug)]
pub(super) struct StandardError {
    pub(super) attributes: Attributes,
    source: Box<dyn StdError + Send + Sync>,
}

impl From<Error> for StandardError {
    fn from(Error { attributes, source }: Error) -> Self {
        Self { attributes, source }
    }
}

impl fmt::Display for StandardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note(self.attributes);
        match f.alternate() {
            true => Chain(&*self.source).fmt(f),
            false => self.source.fmt(f),
        }
    }
}

impl StdError for StandardError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.source()
    }
}
