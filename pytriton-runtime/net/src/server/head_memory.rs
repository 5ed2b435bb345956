use std::io;
use std::sync::Arc;

use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};

use crate::server::connection_state::{ConnectionState, Http1Phase};
use crate::server::http_builders::HTTP1_BUFFER_GROWTH;

/// The memory of the buffer in which the heads of an HTTP/1 connection arrive.
///
/// The bytes of a head are reserved as they arrive, with those of the body that arrive in the same
/// read. They are released when the next head begins: until then, hyper keeps the buffer.
#[derive(Debug)]
pub(crate) struct HeadMemory {
    permit: MemoryPermit,
    /// The number of requests before the current one.
    requests: u64,
    /// Whether the latest bytes could not be reserved.
    refused: bool,
}

impl HeadMemory {
    pub(crate) fn new(budget: &Arc<MemoryBudget>) -> Self {
        Self {
            permit: budget.empty_permit(),
            requests: 0,
            refused: false,
        }
    }

    /// Reserves bytes that have arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes before these could not be reserved either. A complete head in
    /// one read therefore gets a response, even if the budget is exhausted.
    #[inline]
    pub(crate) fn add(&mut self, bytes: usize, state: &ConnectionState) -> io::Result<()> {
        let (requests, phase) = state.http1_requests();
        if phase == Some(Http1Phase::Receiving) {
            // Bytes of the body, which its reader reserves.
            return Ok(());
        }
        self.begin(requests);
        if self.refused {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.refused = self.permit.grow(HTTP1_BUFFER_GROWTH * bytes).is_err();
        Ok(())
    }

    /// Releases the memory of the previous request, if another one has begun.
    #[inline]
    fn begin(&mut self, requests: u64) {
        if self.requests != requests {
            self.requests = requests;
            self.refused = false;
            self.permit.release();
        }
    }
}
