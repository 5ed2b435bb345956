use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::{Code, Failure};
use crate::ffi::{Correlation, Sequence};

/// The maximum number of sequences that are remembered, the newest ones.
const MAX_SEQUENCES: usize = 1024;

/// The sequences whose first request was refused on this side, so that the function never saw their
/// start. A later request of such a sequence must not find the state of an older sequence with the
/// same id.
#[derive(Debug)]
pub struct RefusedSequences {
    model: String,
    sequences: Mutex<VecDeque<(Id, Refusal)>>,
}

/// The reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request could not be read or handed over.
    NotHandedOver,
    /// Its instance is stalled or gone.
    Stalled,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Id {
    Number(u64),
    Text(String),
}

impl RefusedSequences {
    /// Creates an empty set for a model.
    pub fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            sequences: Mutex::default(),
        }
    }

    /// Records that a request of a sequence was refused.
    pub(crate) fn refuse(&self, sequence: &Sequence<'_>, refusal: Refusal) {
        if !sequence.start || sequence.end {
            return;
        }
        let id = Id::of(sequence);
        let mut sequences = self.lock();
        sequences.retain(|(other, _)| *other != id);
        sequences.truncate(MAX_SEQUENCES - 1);
        sequences.push_front((id, refusal));
    }

    /// Checks a request that is about to be forwarded.
    ///
    /// # Errors
    ///
    /// Returns a failure if its sequence was refused and has not been restarted since.
    pub(crate) fn check(&self, sequence: &Sequence<'_>) -> Result<(), Failure> {
        let mut sequences = self.lock();
        if sequences.is_empty() {
            return Ok(());
        }
        let id = Id::of(sequence);
        let Some(at) = sequences.iter().position(|(other, _)| *other == id) else {
            return Ok(());
        };
        let refusal = sequences[at].1;
        if sequence.start || sequence.end {
            sequences.remove(at);
        }
        if sequence.start {
            return Ok(());
        }
        let (model, sequence) = (&self.model, id.text());
        Err(match refusal {
            Refusal::NotHandedOver => Failure::internal(format!(
                "the state of sequence {sequence} of model '{model}' is lost: its first request was refused; start the sequence again"
            )),
            // The message of Triton and of the embedded engine for an unknown sequence.
            Refusal::Stalled => Failure::new(
                Code::InvalidArgument,
                format!(
                    "inference request for sequence {sequence} to model '{model}' must specify the START flag on the first request of the sequence"
                ),
            ),
        })
    }

    /// Returns the failure of a request whose instance is stalled while others of the model serve,
    /// with the message of the embedded engine.
    pub(crate) fn ended(&self, sequence: &Sequence<'_>) -> Failure {
        let (model, sequence) = (&self.model, Id::of(sequence).text());
        Failure::new(
            Code::Unavailable,
            format!(
                "sequence {sequence} of model '{model}' has ended: its instance takes no requests"
            ),
        )
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Id, Refusal)>> {
        // No panic can leave the list inconsistent.
        self.sequences
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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

    /// A sequence, its flags, and whether the request is forwarded.
    type Request = (u64, &'static str, bool);

    #[test]
    fn nobody_goes_on_with_a_sequence_whose_start_was_refused() {
        let table: [(&str, &[Request]); 5] = [
            (
                "start",
                &[(5, "", false), (5, "", false), (0, "", true), (6, "", true)],
            ),
            ("start", &[(5, "start", true), (5, "", true)]),
            ("start", &[(5, "end", false), (5, "", true)]),
            // The refused request was its end, and the server no longer knows it.
            ("start end", &[(5, "", true)]),
            ("", &[(5, "", true)]),
        ];
        for refusal in [Refusal::NotHandedOver, Refusal::Stalled] {
            for (refused, requests) in table {
                let sequences = RefusedSequences::new("m");
                sequences.refuse(&sequence(5, refused), refusal);
                for &(id, flags, handed_on) in requests {
                    let checked = sequences.check(&sequence(id, flags));
                    assert_eq!(checked.is_ok(), handed_on, "{refused} {id} {flags}");
                }
            }
        }
    }

    #[test]
    fn the_error_says_why_it_was_refused() {
        let table = [
            (
                Refusal::NotHandedOver,
                Code::Internal,
                "the state of sequence 5 of model 'm' is lost: its first request was refused; start the sequence again",
            ),
            (
                Refusal::Stalled,
                Code::InvalidArgument,
                "inference request for sequence 5 to model 'm' must specify the START flag on the first request of the sequence",
            ),
        ];
        for (refusal, code, message) in table {
            let sequences = RefusedSequences::new("m");
            sequences.refuse(&sequence(0, "start"), refusal);
            let failure = sequences.check(&sequence(0, "")).unwrap_err();
            assert_eq!((failure.code, failure.message.as_str()), (code, message));
        }
    }

    #[test]
    fn the_newest_are_remembered() {
        let sequences = RefusedSequences::new("m");
        for id in 1..=2 * MAX_SEQUENCES as u64 {
            sequences.refuse(&sequence(id, "start"), Refusal::NotHandedOver);
        }
        assert_eq!(sequences.lock().len(), MAX_SEQUENCES);
        assert!(sequences.check(&sequence(1, "")).is_ok());
        let newest = sequence(2 * MAX_SEQUENCES as u64, "");
        assert!(sequences.check(&newest).is_err());
    }
}
