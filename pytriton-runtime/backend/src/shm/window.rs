use std::fmt;
use std::sync::Arc;

use super::View;

/// Whom a region is given back to.
pub(crate) trait Lender: Send + Sync {
    /// Hears that nobody reads the region of a batch any more.
    fn returned(&self, batch: u64);
}

/// A shared reference to the bytes of a batch in another process's segment; whoever holds one keeps them from being
/// written again.
#[derive(Debug, Clone)]
pub struct Window(Arc<Loan>);

struct Loan {
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
        Some(Self(Arc::new(Loan {
            view,
            offset,
            len,
            batch,
            lender,
        })))
    }
}

impl AsRef<[u8]> for Window {
    fn as_ref(&self) -> &[u8] {
        // The bounds were checked when the window was made.
        let bytes = self.0.view.bytes(self.0.offset, self.0.len);
        bytes.unwrap_or_default()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // Whoever drops the last reference sees all that was done through the others before.
        self.lender.returned(self.batch);
    }
}

impl fmt::Debug for Loan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of batch {}", self.len, self.batch)
    }
}
