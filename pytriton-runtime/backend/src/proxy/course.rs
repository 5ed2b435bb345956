use crate::wire::{Answer, WireError};

/// What the worker has said to a request that may have any number of answers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Course {
    answers: u32,
    over: bool,
}

impl Course {
    /// Whether there are no more answers.
    pub(super) fn is_over(self) -> bool {
        self.over
    }

    /// Says that there are no more.
    pub(super) fn end(&mut self) {
        self.over = true;
    }

    /// Notes the next answer.
    ///
    /// # Errors
    ///
    /// [`WireError::Number`] when it is another one.
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
