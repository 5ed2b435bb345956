use std::fmt;

/// The reason why a text is not a valid lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    /// The line, from 1.
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
