use bytes::{Buf, Bytes};

use crate::server::stream_handle::StreamHandle;

/// Bytes of a response that report to their stream when they have been written.
#[derive(Debug)]
pub(crate) struct TrackedBytes {
    bytes: Bytes,
    /// `None` once everything has been reported.
    stream: Option<StreamHandle>,
}

impl TrackedBytes {
    #[inline]
    pub(crate) fn new(bytes: Bytes, stream: StreamHandle) -> Self {
        let stream = (!bytes.is_empty()).then_some(stream);
        Self { bytes, stream }
    }
}

impl Buf for TrackedBytes {
    #[inline]
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(stream) = &self.stream {
            stream.sent(count);
        }
        if self.bytes.is_empty() {
            self.stream = None;
        }
    }
}

impl Drop for TrackedBytes {
    #[inline]
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            stream.sent(self.bytes.len());
        }
    }
}
