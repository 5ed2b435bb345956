use std::collections::HashSet;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::{Code, Failure};
use crate::ffi::{Correlation, Sequence};

/// The minimum number of sequences that are remembered.
const MIN_SEQUENCES: usize = 1024;

/// The maximum number of bytes of string ids per generation.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// The sequences of an instance whose first request was forwarded and that have not ended.
///
/// A request that continues any other sequence is refused. The function would not know the
/// sequence, or would continue an older one with the same id: the first request may have been
/// refused, cancelled or timed out before it reached the function. The set is bounded; a request of
/// a forgotten sequence is refused.
///
/// No sequence is forgotten that Triton continues, unless clients cancel many others. While a
/// sequence keeps its slot in Triton, each other slot has at most one more unfinished sequence
/// between two of its requests. Triton assigns a slot to another sequence only if the first has
/// ended, or was idle for longer than this sequence itself may be.
#[derive(Debug)]
pub struct StartedSequences {
    model: String,
    capacity: usize,
    known: Mutex<Known>,
}

/// The reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request could not be read or handed over.
    NotHandedOver,
    /// Its instance is stalled or gone.
    Stalled,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Id {
    Number(u64),
    Text(String),
}

/// Two generations: when the recent one is full, it replaces the older one, which is forgotten.
#[derive(Debug, Default)]
struct Known {
    recent: HashSet<Id>,
    recent_bytes: usize,
    older: HashSet<Id>,
}

impl StartedSequences {
    /// Creates an empty set for an instance with that many slots.
    pub fn new(model: &str, slots: u32) -> Self {
        Self {
            model: model.to_owned(),
            capacity: MIN_SEQUENCES.max(2 * slots as usize),
            known: Mutex::default(),
        }
    }

    /// Checks a request that is about to be forwarded.
    ///
    /// # Errors
    ///
    /// Returns a failure if the request does not start its sequence, and the sequence is not known.
    pub(crate) fn check(&self, sequence: &Sequence<'_>) -> Result<(), Failure> {
        let id = Id::of(sequence);
        let mut known = self.lock();
        let continues = known.remove(&id);
        if !sequence.start && !continues {
            let (model, sequence) = (&self.model, id.text());
            // The message of Triton and of the embedded engine for an unknown sequence.
            return Err(Failure::new(
                Code::InvalidArgument,
                format!(
                    "inference request for sequence {sequence} to model '{model}' must specify the START flag on the first request of the sequence"
                ),
            ));
        }
        if !sequence.end {
            known.insert(id, self.capacity);
        }
        Ok(())
    }

    /// Records the refusal of a request that [`check`](Self::check) may have accepted. Its sequence
    /// has not started, or has ended with its instance.
    pub(crate) fn refuse(&self, sequence: &Sequence<'_>, refusal: Refusal) {
        if sequence.start || refusal == Refusal::Stalled {
            self.lock().remove(&Id::of(sequence));
        }
    }

    /// Returns the failure of a request whose instance is stalled while others of the model serve,
    /// with the message of the embedded engine.
    pub(crate) fn ended(&self, sequence: &Sequence<'_>) -> Failure {
        let (model, sequence) = (&self.model, Id::of(sequence).text());
        Failure::new(
            Code::Unavailable,
            format!(
                "sequence {sequence} of model '{model}' has ended: its instance does not accept requests"
            ),
        )
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // No panic can leave the sets inconsistent.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn remove(&mut self, id: &Id) -> bool {
        let recent = self.recent.remove(id);
        if recent {
            self.recent_bytes -= id.text_bytes();
        }
        self.older.remove(id) || recent
    }

    fn insert(&mut self, id: Id, capacity: usize) {
        self.recent_bytes += id.text_bytes();
        self.recent.insert(id);
        if self.recent.len() >= capacity || self.recent_bytes >= MAX_TEXT_BYTES {
            self.older = mem::take(&mut self.recent);
            self.recent_bytes = 0;
        }
    }
}

impl Id {
    fn of(sequence: &Sequence<'_>) -> Self {
        match &sequence.id {
            Correlation::Number(number) => Self::Number(*number),
            Correlation::Text(text) => Self::Text(text.clone().into_owned()),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }

    fn text_bytes(&self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Text(text) => text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(id: u64, flags: &str) -> Sequence<'static> {
        let id = match id {
            0 => Correlation::Text("5".into()),
            id => Correlation::Number(id),
        };
        Sequence {
            id,
            start: flags.contains("start"),
            end: flags.contains("end"),
        }
    }

    /// A sequence, the flags of its request, and whether the request is forwarded.
    type Request = (u64, &'static str, bool);

    #[test]
    fn only_a_sequence_whose_start_was_forwarded_continues() {
        let table: [&[Request]; 6] = [
            &[(5, "", false), (5, "end", false)],
            &[(5, "start", true), (5, "", true), (0, "", false)],
            &[(5, "start", true), (5, "start", true), (5, "", true)],
            &[(5, "start", true), (5, "end", true), (5, "", false)],
            &[(5, "start end", true), (5, "", false)],
            &[
                (5, "start", true),
                (5, "start end", true),
                (5, "", false),
                (0, "start", true),
                (0, "end", true),
            ],
        ];
        for requests in table {
            let started = StartedSequences::new("m", 2);
            for &(id, flags, handed_on) in requests {
                let checked = started.check(&sequence(id, flags));
                assert_eq!(checked.is_ok(), handed_on, "{requests:?} {id} {flags}");
            }
        }
    }

    #[test]
    fn a_sequence_ends_when_its_start_is_refused_or_its_instance_stalls() {
        let table = [
            ("start", Refusal::NotHandedOver, false),
            ("", Refusal::NotHandedOver, true),
            ("start", Refusal::Stalled, false),
            ("", Refusal::Stalled, false),
        ];
        for (flags, refusal, continues) in table {
            let started = StartedSequences::new("m", 2);
            started.check(&sequence(5, "start")).unwrap();
            started.check(&sequence(5, flags)).unwrap();
            started.refuse(&sequence(5, flags), refusal);
            let checked = started.check(&sequence(5, ""));
            assert_eq!(checked.is_ok(), continues, "{flags} {refusal:?}");
        }
    }

    #[test]
    fn error_is_that_of_an_unknown_sequence() {
        let failure = StartedSequences::new("m", 2).check(&sequence(0, ""));
        let failure = failure.unwrap_err();
        let expected = "inference request for sequence 5 to model 'm' must specify the START flag on the first request of the sequence";
        assert_eq!(
            (failure.code, failure.message.as_str()),
            (Code::InvalidArgument, expected)
        );
    }

    #[test]
    fn refused_starts_never_let_an_older_sequence_continue() {
        for others in [1, 1000, 5000] {
            let started = StartedSequences::new("m", 2);
            // An older sequence with the same id, whose state the function still has.
            started.check(&sequence(5, "start")).unwrap();
            started.check(&sequence(5, "start")).unwrap();
            started.refuse(&sequence(5, "start"), Refusal::NotHandedOver);
            for id in 6..6 + others {
                started.check(&sequence(id, "start")).unwrap();
                started.refuse(&sequence(id, "start"), Refusal::NotHandedOver);
                started.check(&sequence(5, "")).unwrap_err();
            }
        }
    }

    #[test]
    fn sequences_of_all_slots_are_kept_and_their_number_is_bounded() {
        for slots in [1, 2000] {
            let started = StartedSequences::new("m", slots);
            let capacity = started.capacity as u64;
            for id in 1..=10 * capacity {
                started.check(&sequence(id, "start")).unwrap();
                let known = started.lock();
                assert!(known.recent.len() + known.older.len() <= 2 * started.capacity);
            }
            let newest = 9 * capacity + 1..=10 * capacity;
            for id in newest {
                started.check(&sequence(id, "")).unwrap();
            }
            started.check(&sequence(1, "")).unwrap_err();
        }
        let started = StartedSequences::new("m", 2);
        for number in 0..100 {
            let text = format!("{number}{}", "x".repeat(MAX_TEXT_BYTES / 10));
            let long = Sequence {
                id: Correlation::Text(text.into()),
                start: true,
                end: false,
            };
            started.check(&long).unwrap();
            let known = started.lock();
            let ids = known.recent.iter().chain(&known.older);
            let bytes: usize = ids.map(Id::text_bytes).sum();
            assert!(bytes <= 3 * MAX_TEXT_BYTES, "{bytes}");
        }
    }
}
