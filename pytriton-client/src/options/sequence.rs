/// The ID of a sequence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SequenceId {
    /// A number; 0 means no sequence.
    Number(u64),
    /// A string.
    Text(String),
}

impl From<u64> for SequenceId {
    fn from(id: u64) -> Self {
        Self::Number(id)
    }
}

impl From<&str> for SequenceId {
    fn from(id: &str) -> Self {
        Self::Text(id.to_owned())
    }
}

impl From<String> for SequenceId {
    fn from(id: String) -> Self {
        Self::Text(id)
    }
}

/// The position of a request in its sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceStep {
    pub(crate) id: SequenceId,
    pub(crate) start: bool,
    pub(crate) end: bool,
}

impl SequenceStep {
    /// Returns a request between the first and the last one.
    pub fn new(id: impl Into<SequenceId>) -> Self {
        Self {
            id: id.into(),
            start: false,
            end: false,
        }
    }

    /// Marks the first request.
    pub fn start(self) -> Self {
        Self {
            start: true,
            ..self
        }
    }

    /// Marks the last request.
    pub fn end(self) -> Self {
        Self { end: true, ..self }
    }
}
