use std::fmt;

/// The text for a missing item.
pub(crate) const NONE: &str = "none";

/// A difference between the expected and the actual signature of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The name of the input or output, or the property of the model that differs.
    pub what: String,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub found: String,
    /// Whether the difference breaks callers.
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
