use super::{Answers, Described};

/// The maximum number of bytes that are kept.
const MOST: usize = 64 << 10;

/// Memory of answered batches that is reused for the next ones.
#[derive(Debug, Default)]
pub(super) struct Spare {
    description: Vec<u8>,
    answers: Answers,
}

impl Spare {
    pub(super) fn description(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.description)
    }

    pub(super) fn keep_description(&mut self, mut description: Vec<u8>) {
        if description.capacity() <= MOST {
            description.clear();
            self.description = description;
        }
    }

    pub(super) fn answers(&mut self) -> Answers {
        std::mem::take(&mut self.answers)
    }

    pub(super) fn keep_answers(&mut self, mut answers: Answers) {
        let each = answers.each.capacity() * size_of::<Described>();
        if answers.descriptions.capacity() + each <= MOST {
            answers.clear();
            self.answers = answers;
        }
    }
}
