use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::ffi::{Correlation, Sequence};

/// So many are remembered, the newest ones.
const MOST: usize = 1024;

/// The sequences whose first request was refused here, of which nobody behind has heard that they start: whoever goes on with one
/// must not find the state of an older sequence of its id.
#[derive(Debug)]
pub struct Lost {
    model: String,
    sequences: Mutex<VecDeque<Id>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Id {
    Number(u64),
    Text(String),
}

impl Lost {
    /// None yet of that model.
    pub fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            sequences: Mutex::default(),
        }
    }

    /// Notes that a request of a sequence has been refused.
    pub(crate) fn refuse(&self, sequence: &Sequence<'_>) {
        if !sequence.start || sequence.end {
            return;
        }
        let id = Id::of(sequence);
        let mut sequences = self.lock();
        sequences.retain(|other| *other != id);
        sequences.truncate(MOST - 1);
        sequences.push_front(id);
    }

    /// Looks at a request that is about to be handed on.
    ///
    /// # Errors
    ///
    /// That it goes on with a sequence that nobody knows.
    pub(crate) fn check(&self, sequence: &Sequence<'_>) -> Result<(), Failure> {
        let mut sequences = self.lock();
        if sequences.is_empty() {
            return Ok(());
        }
        let id = Id::of(sequence);
        let Some(at) = sequences.iter().position(|other| *other == id) else {
            return Ok(());
        };
        if sequence.start || sequence.end {
            sequences.remove(at);
        }
        if sequence.start {
            return Ok(());
        }
        let (model, sequence) = (&self.model, id.text());
        Err(Failure::internal(format!(
            "the state of sequence {sequence} of model '{model}' is lost: its first request was refused; start the sequence again"
        )))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Id>> {
        // Nothing under the lock panics half-way.
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

    /// Which sequence goes on, with which flags, and whether that is handed on.
    type Asked = (u64, &'static str, bool);

    #[test]
    fn nobody_goes_on_with_a_sequence_whose_start_was_refused() {
        let table: [(&str, &[Asked]); 5] = [
            (
                "start",
                &[(5, "", false), (5, "", false), (0, "", true), (6, "", true)],
            ),
            ("start", &[(5, "start", true), (5, "", true)]),
            ("start", &[(5, "end", false), (5, "", true)]),
            // It ends with what was refused, and the server knows it no more.
            ("start end", &[(5, "", true)]),
            ("", &[(5, "", true)]),
        ];
        for (refused, asked) in table {
            let lost = Lost::new("m");
            lost.refuse(&sequence(5, refused));
            for &(id, flags, handed_on) in asked {
                let checked = lost.check(&sequence(id, flags));
                assert_eq!(checked.is_ok(), handed_on, "{refused} {id} {flags}");
            }
        }
        let lost = Lost::new("m");
        lost.refuse(&sequence(0, "start"));
        let failure = lost.check(&sequence(0, "")).unwrap_err();
        let expected = "the state of sequence 5 of model 'm' is lost: its first request was refused; start the sequence again";
        assert_eq!(failure.message, expected);
    }

    #[test]
    fn the_newest_are_remembered() {
        let lost = Lost::new("m");
        for id in 1..=2 * MOST as u64 {
            lost.refuse(&sequence(id, "start"));
        }
        assert_eq!(lost.lock().len(), MOST);
        assert!(lost.check(&sequence(1, "")).is_ok());
        assert!(lost.check(&sequence(2 * MOST as u64, "")).is_err());
    }
}
