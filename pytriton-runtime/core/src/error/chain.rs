use std::error::Error;
use std::fmt::{self, Display, Write};
use std::iter::successors;

/// Returns an error and its sources.
pub(super) fn chain<'a>(error: &'a (dyn Error + 'a)) -> impl Iterator<Item = &'a (dyn Error + 'a)> {
    successors(Some(error), |&error| error.source())
}

/// Displays an error and its sources, separated by colons. A source is omitted if the error before
/// it ends with its message.
pub(super) struct Chain<'a>(pub(super) &'a (dyn Error + 'a));

impl Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut previous = String::new();
        for error in chain(self.0) {
            let mut message = String::new();
            write!(message, "{error}")?;
            if message.is_empty() {
                continue;
            }
            if previous.is_empty() {
                f.write_str(&message)?;
            } else if !previous.ends_with(&message) {
                write!(f, ": {message}")?;
            }
            previous = message;
        }
        Ok(())
    }
}
