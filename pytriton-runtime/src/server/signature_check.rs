use std::fmt;
use std::path::Path;
use std::{fs, io};

use pytriton_protocol::signature::{Change, LockFile};

use crate::registry::Registry;

use super::ServerError;

/// The differences between the models of this binary and a signature file.
#[derive(Debug)]
pub(super) struct Compared<'a> {
    file: &'a Path,
    changes: Vec<Change>,
}

impl<'a> Compared<'a> {
    pub(super) fn new(file: &'a Path, registry: &Registry) -> Result<Self, ServerError> {
        let read = |text: String| LockFile::parse(&text).map_err(|error| error.to_string());
        let no_text = |error: io::Error| error.to_string();
        let lock = fs::read_to_string(file).map_err(no_text).and_then(read);
        let lock = lock.map_err(|message| ServerError::LockFile {
            file: file.to_owned(),
            message,
        })?;
        let changes = lock.changes(&registry.lock());
        Ok(Self { file, changes })
    }

    /// Returns an error if a change breaks clients.
    pub(super) fn check(&self) -> Result<(), ServerError> {
        let breaking = self.changes.iter().filter(|change| change.breaking).count();
        match breaking {
            0 => Ok(()),
            breaking => Err(ServerError::Breaking {
                file: self.file.to_owned(),
                breaking,
            }),
        }
    }
}

/// Prints one line per change.
impl fmt::Display for Compared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.changes.is_empty() {
            return write!(f, "the models match {}", self.file.display());
        }
        for (index, change) in self.changes.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            let kind = if change.breaking {
                "breaking"
            } else {
                "compatible"
            };
            write!(f, "{end}{kind:<10}  {change}")?;
        }
        Ok(())
    }
}
