use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::tracked_bytes::TrackedBytes;

use crate::json::JsonWriter;

use super::request::{REQUEST_BYTES, reserve_small};

/// The punctuation around a prompt and its name.
const PUNCTUATION: usize = 16;

/// A request for texts, as its model receives it.
#[derive(Debug)]
pub struct TextRequest {
    /// The options for the response.
    pub options: TextOptions,
    /// The name of the input that differs between the requests to the model.
    pub(super) subject: &'static str,
    /// The values of this input as JSON, one for each choice.
    pub(super) subjects: Vec<TrackedBytes>,
    /// The beginning of every request to the model, with all other members.
    pub(super) shared: TrackedBytes,
}

/// The options of a request for texts that affect its response.
#[derive(Debug)]
pub struct TextOptions {
    /// Whether the response is streamed.
    pub stream: bool,
    /// Whether an event at the end reports the usage.
    pub include_usage: bool,
    /// The stop sequences, if the model does not handle them itself.
    pub stops: Vec<String>,
}

impl TextRequest {
    /// Returns the total size of the requests to the model, in bytes.
    pub fn bytes(&self) -> usize {
        self.sizes().fold(0, usize::saturating_add)
    }

    /// Returns the requests of the generate extension, one for each choice.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if their memory cannot be reserved.
    pub fn bodies(
        &self,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<TrackedBytes>, MemoryBudgetError> {
        permit.grow(self.subjects.len() * REQUEST_BYTES)?;
        reserve_small(self.sizes(), permit)?;
        let bodies = self.subjects.iter().zip(self.sizes());
        let bodies = bodies.map(|(subject, size)| {
            let mut body = JsonWriter::reserving(permit.sibling(), size + PUNCTUATION);
            body.written(&self.shared);
            body.key(self.subject).written(subject);
            body.end(b'}');
            body.finish_reserved()
        });
        bodies.collect()
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        let subjects = self.subjects.iter();
        subjects.map(|subject| self.shared.len() + subject.len())
    }
}
