use std::fmt;
use std::sync::Arc;

use super::Generation;
use super::generation::Membership;

/// The position of a request in a sequence: related requests that are served one after another.
///
/// # Examples
///
/// ```
/// # use pytriton_core::request::Sequence;
/// let sequence = Sequence::new(5).unwrap().start(true);
/// assert_eq!(sequence.id().to_string(), "5");
/// assert!(sequence.starts() && !sequence.ends());
/// // An ID of 0 means that the request is in no sequence.
/// assert_eq!(Sequence::new(0), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    id: SequenceId,
    start: bool,
    end: bool,
    membership: Membership,
}

/// The correlation ID of a sequence. The number 5 and the string "5" are different IDs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceId {
    /// A number.
    Number(u64),
    /// A string.
    Text(Arc<str>),
}

impl Sequence {
    /// Creates the position of a request that continues a sequence. Returns `None` for an ID of 0
    /// or an empty string, which mean no sequence.
    pub fn new(id: impl Into<SequenceId>) -> Option<Self> {
        let id = id.into();
        let none = match &id {
            SequenceId::Number(number) => *number == 0,
            SequenceId::Text(text) => text.is_empty(),
        };
        (!none).then(|| Self {
            id,
            start: false,
            end: false,
            membership: Membership::default(),
        })
    }

    /// Sets whether the request is the first one of the sequence.
    pub fn start(self, start: bool) -> Self {
        Self { start, ..self }
    }

    /// Sets whether the request is the last one of the sequence.
    pub fn end(self, end: bool) -> Self {
        Self { end, ..self }
    }

    /// Returns the ID of the sequence.
    pub fn id(&self) -> &SequenceId {
        &self.id
    }

    /// Returns whether the request is the first one of the sequence.
    pub fn starts(&self) -> bool {
        self.start
    }

    /// Returns whether the request is the last one of the sequence.
    pub fn ends(&self) -> bool {
        self.end
    }

    /// Returns the generation, if the scheduler has assigned one.
    pub(crate) fn generation(&self) -> Option<Arc<Generation>> {
        self.membership.generation()
    }

    /// Assigns a generation and keeps it alive.
    pub fn belong(&mut self, generation: &Arc<Generation>) {
        self.membership = Membership::of(generation);
    }

    /// Returns the size of the ID in bytes.
    pub(super) fn bytes(&self) -> usize {
        match &self.id {
            SequenceId::Number(_) => 0,
            SequenceId::Text(text) => text.len(),
        }
    }
}

impl SequenceId {
    /// The maximum length of a string ID in bytes.
    ///
    /// Source: `InferenceRequest::SequenceId` in Triton 2.51.
    pub const MAX_TEXT: usize = 128;

    /// Creates a string ID, or returns `None` if it is too long.
    pub fn text(text: &str) -> Option<Self> {
        (text.len() <= Self::MAX_TEXT).then(|| Self::Text(text.into()))
    }
}

impl From<u64> for SequenceId {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for SequenceId {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Default for SequenceId {
    /// Returns the ID of no sequence.
    fn default() -> Self {
        Self::Number(0)
    }
}

impl fmt::Display for SequenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_and_text_ids_are_different_sequences() {
        let number = SequenceId::Number(5);
        let text = SequenceId::text("5").unwrap();
        assert_ne!(number, text);
        assert_eq!(number.to_string(), text.to_string());
        let longest = "é".repeat(64);
        assert_eq!(SequenceId::text(&longest).unwrap().to_string(), longest);
        assert_eq!(SequenceId::text(&format!("{longest}x")), None);
    }

    #[test]
    fn empty_id_is_not_a_sequence() {
        let nothing = SequenceId::Text("".into());
        let table = [
            (SequenceId::default(), false),
            (SequenceId::Number(0), false),
            (nothing, false),
            (SequenceId::Number(1), true),
            (SequenceId::Number(u64::MAX), true),
            (SequenceId::Text("0".into()), true),
        ];
        for (id, is_sequence) in table {
            for (start, end) in [(false, false), (true, false), (false, true), (true, true)] {
                let sequence = Sequence::new(id.clone());
                let sequence = sequence.map(|sequence| sequence.start(start).end(end));
                let got = sequence.as_ref().map(|sequence| {
                    let Sequence { id, start, end, .. } = sequence;
                    (id, *start, *end)
                });
                assert_eq!(got, is_sequence.then_some((&id, start, end)));
            }
        }
    }
}
