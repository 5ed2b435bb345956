use std::error::Error as StdError;
use std::fmt;

use super::attributes::Attributes;
use super::chain::Chain;
use super::displayed::note;

/// An [`Error`](super::Error) as a [`std::error::Error`]. Its kind is found when it is displayed.
#[derive(Debug)]
pub(super) struct StandardError {
    pub(super) attributes: Attributes,
    pub(super) source: Box<dyn StdError + Send + Sync>,
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
