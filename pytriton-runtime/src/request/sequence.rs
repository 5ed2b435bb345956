use std::fmt;
use std::sync::Arc;

use super::Generation;
use super::generation::Membership;

/// The place of a request in a sequence: requests that belong together, and are served one after another.
///
/// # Examples
///
/// ```
/// # use pytriton_runtime::request::{Sequence, SequenceId};
/// let sequence = Sequence::new(SequenceId::Number(5), true, false).unwrap();
/// assert_eq!(sequence.id().to_string(), "5");
/// assert!(sequence.starts() && !sequence.ends());
/// // Clients say so that a request is in no sequence.
/// assert_eq!(Sequence::new(SequenceId::Number(0), true, false), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    id: SequenceId,
    start: bool,
    end: bool,
    membership: Membership,
}

/// What a client calls a sequence: the number 5 is another one than the text "5".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SequenceId {
    /// A number.
    Number(u64),
    /// A text.
    Text(Arc<str>),
}

impl Sequence {
    /// A request of that sequence, which starts or ends it, or does neither or both; `None` for an id of 0 or nothing, which
    /// is that of no sequence.
    pub fn new(id: SequenceId, start: bool, end: bool) -> Option<Self> {
        let none = match &id {
            SequenceId::Number(number) => *number == 0,
            SequenceId::Text(text) => text.is_empty(),
        };
        (!none).then_some(Self {
            id,
            start,
            end,
            membership: Membership::default(),
        })
    }

    /// Which sequence.
    pub fn id(&self) -> &SequenceId {
        &self.id
    }

    /// Whether the request is the sequence's first.
    pub fn starts(&self) -> bool {
        self.start
    }

    /// Whether the request is the sequence's last.
    pub fn ends(&self) -> bool {
        self.end
    }

    /// Which of the sequences of its id, where somebody tells them apart.
    pub(crate) fn generation(&self) -> Option<Arc<Generation>> {
        self.membership.generation()
    }

    /// Holds a generation from here on.
    pub(crate) fn belong(&mut self, generation: &Arc<Generation>) {
        self.membership = Membership::of(generation);
    }

    /// The bytes of its id.
    pub(super) fn bytes(&self) -> usize {
        match &self.id {
            SequenceId::Number(_) => 0,
            SequenceId::Text(text) => text.len(),
        }
    }
}

impl SequenceId {
    /// The longest text that clients may take, in bytes.
    ///
    /// Source: `InferenceRequest::SequenceId` in Triton 2.51.
    pub const MAX_TEXT: usize = 128;

    /// The sequence of that name; `None` where it is longer than it may be.
    pub fn text(text: &str) -> Option<Self> {
        (text.len() <= Self::MAX_TEXT).then(|| Self::Text(text.into()))
    }
}

impl Default for SequenceId {
    /// That of no sequence.
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
    fn numbers_and_texts_are_different_sequences() {
        let number = SequenceId::Number(5);
        let text = SequenceId::text("5").unwrap();
        assert_ne!(number, text);
        assert_eq!(number.to_string(), text.to_string());
        let longest = "é".repeat(64);
        assert_eq!(SequenceId::text(&longest).unwrap().to_string(), longest);
        assert_eq!(SequenceId::text(&format!("{longest}x")), None);
    }

    #[test]
    fn no_id_is_no_sequence() {
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
                let sequence = Sequence::new(id.clone(), start, end);
                let got = sequence.as_ref().map(|sequence| {
                    let Sequence { id, start, end, .. } = sequence;
                    (id, *start, *end)
                });
                assert_eq!(got, is_sequence.then_some((&id, start, end)));
            }
        }
    }
}
