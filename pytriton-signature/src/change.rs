use std::fmt;

/// What of a model is not as it is expected to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// What differs: an input or output by its name, or a property of the whole model.
    pub what: String,
    /// What callers expect of it.
    pub expected: String,
    /// What it is.
    pub found: String,
    /// Whether a caller that expects the one does not get along with the other.
    pub breaking: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            expected,
            found,
            ..
        } = self;
        write!(f, "{what}: expected {expected}, found {found}")
    }
}
