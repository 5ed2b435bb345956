use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

use crate::server::connection_state::Inner;
use crate::server::retirement::ConnectionShare;

/// The trailers of a connection may take this fraction of the budget (a divisor) while h2 has not
/// passed on all of its requests. Those of 100 requests that arrive at once take up to 38 MiB.
const WAITING_SHARE_OF_BUDGET: usize = 4;

/// The memory of the trailers of an HTTP/2 connection, which h2 holds until the body is read or the
/// stream ends. It is released with the connection at the latest.
#[derive(Debug)]
pub(crate) struct TrailersMemory {
    permit: MemoryPermit,
    /// The memory of the trailers of each stream, by the number of its head.
    streams: Vec<(u64, usize)>,
    /// The memory of the trailers of streams whose number is not known, which is reserved until no
    /// stream is open. One sum, because a client may send any number of them.
    unknown_bytes: usize,
    /// The maximum of `unknown_bytes`.
    share: ConnectionShare,
    /// The maximum of all bytes while requests wait to be passed on.
    max_waiting_bytes: usize,
}

impl TrailersMemory {
    fn new(budget: &Arc<MemoryBudget>) -> Self {
        let share = ConnectionShare::new(budget);
        let waiting = budget.limit() / WAITING_SHARE_OF_BUDGET;
        Self {
            permit: budget.empty_permit(),
            streams: Vec::new(),
            unknown_bytes: 0,
            share,
            max_waiting_bytes: waiting.max(share.close_bytes()),
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
            // Each entry has reserved bytes, so their number is limited.
            Some(stream) if bytes > 0 => self.streams.push((stream, bytes)),
            Some(_) => {}
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

    /// Makes the numbers of all streams unknown.
    fn forget_numbers(&mut self) {
        self.streams = Vec::new();
        self.unknown_bytes = self.permit.bytes();
    }

    /// Releases the memory of all streams.
    fn release(&mut self) {
        self.streams = Vec::new();
        self.unknown_bytes = 0;
        self.permit.release();
    }
}

impl Inner {
    /// Reserves the memory of trailers that arrive, until their stream ends. `stream` is the number
    /// of the head that it begins with. Retires the connection if it keeps more memory than its
    /// share for streams that are not known.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is exhausted, or if the connection far exceeds its share.
    pub(crate) fn add_trailers(
        &mut self,
        budget: &Arc<MemoryBudget>,
        stream: Option<u64>,
        bytes: usize,
    ) -> Result<(), MemoryBudgetError> {
        self.release_trailers();
        let waiting = self.heads != self.next_number;
        let new = || Box::new(TrailersMemory::new(budget));
        let trailers = self.trailers.get_or_insert_with(new);
        trailers.add(stream, bytes)?;
        let (bytes, limit) = (trailers.permit.bytes(), trailers.max_waiting_bytes);
        if waiting && bytes > limit {
            return Err(MemoryBudgetError { bytes, limit });
        }
        let retirement = &mut self.retirement;
        let unknown = trailers.unknown_bytes;
        trailers.share.check(unknown, || retirement.request())
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
            if streams.is_empty() {
                return trailers.release();
            }
            trailers.retain(|number| {
                let mut open = streams.iter();
                open.any(|(_, stream)| stream.number == number)
            });
        }
    }

    /// Corrects the number of heads when h2 has passed on all complete ones, except for those that
    /// it has refused. `is_partial` means that the latest head is not complete. Returns whether h2
    /// has refused any.
    pub(crate) fn settle_heads(&mut self, is_partial: bool) -> bool {
        let heads = self.next_number + u64::from(is_partial);
        let refused = self.heads != heads;
        self.heads = heads;
        if let Some(trailers) = self.trailers.as_mut().filter(|_| refused) {
            trailers.forget_numbers();
        }
        self.release_trailers();
        refused
    }
}
