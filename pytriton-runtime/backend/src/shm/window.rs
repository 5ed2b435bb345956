use std::fmt;
use std::sync::Arc;

use super::View;

/// The owner to which a region is returned.
pub(crate) trait RegionOwner: Send + Sync {
    /// Called when the region of a batch is not read any more.
    fn returned(&self, batch: u64);
}

/// A reference to the bytes of a batch in another process's segment. They are not overwritten while
/// it lives.
pub struct Window {
    view: Arc<View>,
    offset: usize,
    len: usize,
    batch: u64,
    owner: Arc<dyn RegionOwner>,
}

impl Window {
    /// Creates a window of `len` bytes at `offset`, or returns `None` if they are not all in the
    /// view.
    pub(crate) fn new(
        view: Arc<View>,
        (offset, len): (usize, usize),
        batch: u64,
        owner: Arc<dyn RegionOwner>,
    ) -> Option<Self> {
        view.bytes(offset, len)?;
        Some(Self {
            view,
            offset,
            len,
            batch,
            owner,
        })
    }
}

impl AsRef<[u8]> for Window {
    fn as_ref(&self) -> &[u8] {
        // The bounds were checked when the window was created.
        let bytes = self.view.bytes(self.offset, self.len);
        bytes.unwrap_or_default()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.owner.returned(self.batch);
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of batch {}", self.len, self.batch)
    }
}
