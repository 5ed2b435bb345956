use std::fmt;
use std::sync::Arc;

use super::View;

/// Whom a region is given back to.
pub(crate) trait Lender: Send + Sync {
    /// Hears that nobody reads the region of a batch any more.
    fn returned(&self, batch: u64);
}

/// A reference to the bytes of a batch in another process's segment; whoever holds it keeps them from being written again.
pub struct Window {
    view: Arc<View>,
    offset: usize,
    len: usize,
    batch: u64,
    lender: Arc<dyn Lender>,
}

impl Window {
    /// The `len` bytes from `offset` that were handed over with a batch; `None` when they are not all in the view.
    pub(crate) fn new(
        view: Arc<View>,
        (offset, len): (usize, usize),
        batch: u64,
        lender: Arc<dyn Lender>,
    ) -> Option<Self> {
        view.bytes(offset, len)?;
        Some(Self {
            view,
            offset,
            len,
            batch,
            lender,
        })
    }
}

impl AsRef<[u8]> for Window {
    fn as_ref(&self) -> &[u8] {
        // The bounds were checked when the window was made.
        let bytes = self.view.bytes(self.offset, self.len);
        bytes.unwrap_or_default()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.lender.returned(self.batch);
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of batch {}", self.len, self.batch)
    }
}
