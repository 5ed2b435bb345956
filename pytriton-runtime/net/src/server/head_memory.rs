use std::io;

use crate::server::connection_state::ConnectionState;
use crate::server::head_budget::{HeadBudget, HeadPermit};
use crate::server::http_builders::HTTP1_BUFFER_GROWTH;
use crate::server::http2_head_memory::Http2HeadMemory;

/// The response to an HTTP/1 request whose head has no memory, before any of it is parsed.
pub(crate) const HEAD_REFUSAL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 69\r\n\
    Connection: close\r\n\r\n{\"error\":\"the server has no memory for the headers of more requests\"}";

/// The memory of the heads that arrive on a connection.
#[derive(Debug)]
pub(crate) enum HeadMemory {
    /// Nothing is reserved, because the protocol is not known.
    Unknown,
    Http1(Http1HeadMemory),
    Http2(Box<Http2HeadMemory>),
}

impl HeadMemory {
    /// `http2` is the maximum size of a header list of an HTTP/2 connection.
    pub(crate) fn new(budget: &HeadBudget, http2: Option<u32>) -> Self {
        match http2 {
            None => Self::Http1(Http1HeadMemory::new(budget)),
            Some(list_bytes) => Self::Http2(Box::new(Http2HeadMemory::new(budget, list_bytes))),
        }
    }

    /// Reserves the memory for bytes that have arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is exhausted. The connection then ends.
    #[inline]
    pub(crate) fn add(&mut self, bytes: &[u8], state: &ConnectionState) -> io::Result<()> {
        match self {
            Self::Unknown => Ok(()),
            Self::Http1(memory) => memory.add(bytes.len(), state),
            Self::Http2(memory) => memory.add(bytes, state),
        }
    }

    /// Records that no more bytes have arrived.
    #[inline]
    pub(crate) fn pause(&mut self, state: &ConnectionState) {
        if let Self::Http2(memory) = self {
            memory.pause(state);
        }
    }
}

/// The memory of the buffer in which the heads of an HTTP/1 connection arrive.
///
/// The bytes of a head are reserved as they arrive, with those of the body that arrive in the same
/// read. They are released when the next head begins: until then, hyper keeps the buffer.
#[derive(Debug)]
pub(crate) struct Http1HeadMemory {
    permit: HeadPermit,
    /// The number of requests before the current one.
    requests: u64,
    /// The number of the latest bytes, if they could not be reserved.
    unreserved_bytes: usize,
}

impl Http1HeadMemory {
    fn new(budget: &HeadBudget) -> Self {
        Self {
            permit: budget.empty_permit(),
            requests: 0,
            unreserved_bytes: 0,
        }
    }

    /// Reserves bytes that have arrived. A complete head in one read gets a response even if the
    /// budget is exhausted. Only a head in several reads uses the reserve.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes before these could not be reserved in the budget, and the
    /// reserve is exhausted.
    #[inline]
    fn add(&mut self, bytes: usize, state: &ConnectionState) -> io::Result<()> {
        let (requests, body_is_arriving) = state.http1_requests();
        if body_is_arriving {
            // The reader of the body reserves these bytes.
            return Ok(());
        }
        self.begin(requests);
        if self.unreserved_bytes > 0 {
            return self.add_to_reserve(bytes);
        }
        if self
            .permit
            .grow_in_budget(HTTP1_BUFFER_GROWTH * bytes)
            .is_err()
        {
            self.unreserved_bytes = bytes;
        }
        Ok(())
    }

    #[cold]
    fn add_to_reserve(&mut self, bytes: usize) -> io::Result<()> {
        let all = self.unreserved_bytes + bytes;
        let grown = self.permit.grow(HTTP1_BUFFER_GROWTH * all);
        grown.map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.unreserved_bytes = 0;
        Ok(())
    }

    /// Releases the memory of the previous request, if another one has begun.
    #[inline]
    fn begin(&mut self, requests: u64) {
        if self.requests != requests {
            self.requests = requests;
            self.unreserved_bytes = 0;
            self.permit.release();
        }
    }
}
