use std::fmt;

/// The text is not a valid lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    /// The line, starting at 1.
    pub line: usize,
    /// The error in this line.
    pub message: String,
}

impl LockError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { line, message }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LockError {}
