use super::{EncodedResponses, ResponseEntry};

/// The maximum number of bytes that are kept.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Memory of completed batches that is reused for the next ones.
#[derive(Debug, Default)]
pub(super) struct BufferPool {
    description: Vec<u8>,
    responses: EncodedResponses,
}

impl BufferPool {
    pub(super) fn description(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.description)
    }

    pub(super) fn keep_description(&mut self, mut description: Vec<u8>) {
        if description.capacity() <= MAX_KEPT_BYTES {
            description.clear();
            self.description = description;
        }
    }

    pub(super) fn responses(&mut self) -> EncodedResponses {
        std::mem::take(&mut self.responses)
    }

    pub(super) fn keep_responses(&mut self, mut responses: EncodedResponses) {
        let each = responses.each.capacity() * size_of::<ResponseEntry>();
        if responses.descriptions.capacity() + each <= MAX_KEPT_BYTES {
            responses.clear();
            self.responses = responses;
        }
    }
}
