use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

use crate::server::connection_state::Inner;

/// The memory of the trailers of an HTTP/2 connection, which h2 holds until the body is read or the
/// stream ends. It is released with the connection at the latest.
#[derive(Debug)]
pub(crate) struct TrailersMemory {
    permit: MemoryPermit,
    /// The memory of the trailers of each stream, by the number of its head.
    streams: Vec<(u64, usize)>,
    /// The memory of the trailers of streams whose number is not known, which is reserved until the
    /// connection ends. One sum, because a client may send any number of them.
    unknown_bytes: usize,
}

impl TrailersMemory {
    pub(crate) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            permit: budget.empty_permit(),
            streams: Vec::new(),
            unknown_bytes: 0,
        }
    }

    /// Reserves the memory of trailers that arrive.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is exhausted.
    fn add(&mut self, stream: Option<u64>, bytes: usize) -> Result<(), MemoryBudgetError> {
        self.permit.grow(bytes)?;
        match stream {
            Some(stream) => self.streams.push((stream, bytes)),
            // Cannot overflow: the sum is reserved.
            None => self.unknown_bytes += bytes,
        }
        Ok(())
    }

    /// Releases the memory of all streams but those that are open or not known.
    fn retain(&mut self, is_open: impl Fn(u64) -> bool) {
        self.streams.retain(|(stream, _)| is_open(*stream));
        let bytes: usize = self.streams.iter().map(|(_, bytes)| bytes).sum();
        self.permit.shrink_to(self.unknown_bytes + bytes);
    }
}

impl Inner {
    /// Reserves the memory of trailers that arrive, until their stream ends. `stream` is the number
    /// of the head that it begins with.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is exhausted.
    pub(crate) fn add_trailers(
        &mut self,
        budget: &Arc<MemoryBudget>,
        stream: Option<u64>,
        bytes: usize,
    ) -> Result<(), MemoryBudgetError> {
        self.release_trailers();
        let new = || Box::new(TrailersMemory::new(budget));
        self.trailers.get_or_insert_with(new).add(stream, bytes)
    }

    /// Releases the memory of the trailers of ended streams.
    #[inline]
    pub(crate) fn release_trailers(&mut self) {
        if self.trailers.is_some() {
            self.release_ended_trailers();
        }
    }

    fn release_ended_trailers(&mut self) {
        // The numbers of heads are those of streams only if each head became a stream. h2 refuses
        // some heads, and may not have passed on the latest.
        if self.heads != self.next_number {
            return;
        }
        let streams = &self.streams;
        if let Some(trailers) = &mut self.trailers {
            trailers.retain(|number| {
                let mut open = streams.iter();
                open.any(|(_, stream)| stream.number == number)
            });
        }
    }
}
