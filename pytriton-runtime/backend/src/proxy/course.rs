use crate::wire::{Answer, WireError};

/// The state of the responses to a request that can have any number of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Course {
    answers: u32,
    over: bool,
}

impl Course {
    /// Returns whether the responses have ended.
    pub(super) fn is_over(self) -> bool {
        self.over
    }

    /// Ends the responses.
    pub(super) fn end(&mut self) {
        self.over = true;
    }

    /// Records the next response.
    ///
    /// # Errors
    ///
    /// Returns [`WireError::Number`] if its number is not the next one.
    pub(super) fn hear(&mut self, answer: &Answer) -> Result<(), WireError> {
        if self.over || answer.sequence != self.answers {
            return Err(WireError::Number);
        }
        self.answers = self.answers.wrapping_add(1);
        self.over = answer.last;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Region;

    #[test]
    fn answers_come_one_after_the_other_and_none_behind_the_last() {
        let table: [(&[(u32, bool)], bool); 5] = [
            (&[(0, false), (1, false), (2, true)], true),
            (&[(0, true)], true),
            (&[(0, false), (0, true)], false),
            (&[(1, false)], false),
            (&[(0, true), (1, true)], false),
        ];
        for (said, right) in table {
            let mut course = Course::default();
            let heard: Result<(), _> = said.iter().try_for_each(|&(sequence, last)| {
                course.hear(&Answer {
                    batch: 0,
                    request: 0,
                    sequence,
                    last,
                    description: Region::default(),
                    data: (0, 0),
                    begun: 0,
                })
            });
            assert_eq!(heard.is_ok(), right, "{said:?}");
            assert!(!right || course.is_over(), "{said:?}");
        }
    }
}
