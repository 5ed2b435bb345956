use std::fmt;

/// A difference between the expected and the actual signature of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The input or output, by name, or the property of the model that differs.
    pub what: String,
    /// What callers expect.
    pub expected: String,
    /// What the model has.
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
