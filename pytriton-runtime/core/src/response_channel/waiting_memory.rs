use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudgetError, MemoryPermit};
use crate::request::Response;

use super::Outcome;

/// The size of a response without its tensors.
pub(super) const ENVELOPE_BYTES: usize = 256;

/// The largest response that waits without a reservation, if it is the only one. A request with one
/// response needs as much.
pub const MAX_UNRESERVED_BYTES: usize = MIN_TRACKED_BYTES + ENVELOPE_BYTES;

/// The reservation of the responses that wait in a channel.
///
/// Large tensors carry their own reservations. Small ones do not, and a client that reads nothing
/// lets many of them wait.
#[derive(Debug)]
pub(super) struct WaitingMemory {
    permit: MemoryPermit,
    /// The size of the waiting responses without the tensors that carry a reservation.
    waiting_bytes: usize,
    /// The same for those that the receiver has taken together. They count until it returns.
    taken_bytes: usize,
}

impl WaitingMemory {
    /// Creates the memory of an empty channel. `permit` counts from its first byte.
    pub(super) fn new(permit: MemoryPermit) -> Self {
        Self {
            permit,
            waiting_bytes: 0,
            taken_bytes: 0,
        }
    }

    /// Reserves space for another small response, and returns whether there is some. An empty
    /// channel always has space, so every request makes progress while its client reads.
    pub(super) fn has_space(&mut self) -> bool {
        let bytes = self.bytes();
        bytes == 0 || self.permit.grow_to(bytes + MAX_UNRESERVED_BYTES).is_ok()
    }

    /// Adds a response. An empty channel takes one of any size.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if its memory cannot be reserved. Nothing changes then.
    pub(super) fn add(&mut self, response: &Outcome) -> Result<(), MemoryBudgetError> {
        let more = unreserved_bytes(response);
        let bytes = self.bytes() + more;
        if bytes > MAX_UNRESERVED_BYTES {
            let grown = self.permit.grow_to(bytes);
            if bytes > more {
                grown?;
            }
        }
        self.waiting_bytes += more;
        Ok(())
    }

    /// Records that the receiver took `response`, and possibly all `others`. It has processed those
    /// that it took before.
    pub(super) fn take<'a>(
        &mut self,
        response: Option<&Outcome>,
        others: impl Iterator<Item = &'a Outcome>,
    ) {
        let first = response.map_or(0, unreserved_bytes);
        self.taken_bytes = others.map(unreserved_bytes).sum();
        self.waiting_bytes -= first + self.taken_bytes;
        if self.bytes() == 0 {
            self.permit.release();
        }
    }

    fn bytes(&self) -> usize {
        self.waiting_bytes + self.taken_bytes
    }
}

/// The size of a response without the tensors that carry a reservation.
fn unreserved_bytes(response: &Outcome) -> usize {
    let bytes = |response: &Response| {
        let sizes = response.outputs.iter();
        let sizes = sizes.map(|(_, tensor)| tensor.data().len());
        let parameters = match response.held {
            Some(_) => 0,
            None => response.parameters.bytes(),
        };
        let small = sizes.filter(|size| *size < MIN_TRACKED_BYTES);
        parameters + small.sum::<usize>()
    };
    ENVELOPE_BYTES + response.as_ref().map_or(0, bytes)
}
