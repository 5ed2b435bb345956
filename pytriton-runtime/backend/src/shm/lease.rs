use std::sync::Arc;

use super::View;

/// The bytes of one batch in another process's segment, for as long as it is this side's turn.
#[derive(Debug)]
pub struct Lease(Window);

/// A shared reference to the bytes of a lease; whoever holds one keeps them from being written again.
#[derive(Debug, Clone)]
pub struct Window(Arc<Bytes>);

#[derive(Debug)]
struct Bytes {
    view: View,
    offset: usize,
    len: usize,
}

impl Lease {
    /// Borrows `len` bytes from `offset`; `None` when they are not all in the view.
    ///
    /// To be called during this side's turn, which must not end before [`Lease::end`] has been asked.
    pub fn new(view: View, offset: usize, len: usize) -> Option<Self> {
        view.bytes(offset, len)?;
        Some(Self(Window(Arc::new(Bytes { view, offset, len }))))
    }

    /// The bytes, to be shared.
    pub fn window(&self) -> Window {
        self.0.clone()
    }

    /// Gives the view back; `None` when somebody still holds a window, so that the segment must never be written again.
    pub fn end(self) -> Option<View> {
        // The last owner sees everything that was done through the windows that are gone.
        match Arc::try_unwrap(self.0.0) {
            Ok(bytes) => Some(bytes.view),
            Err(kept) => {
                // SAFETY: the view is this lease's own, and its windows borrow no other bytes than these.
                unsafe { kept.view.truncate(kept.offset + kept.len) };
                None
            }
        }
    }
}

impl AsRef<[u8]> for Window {
    fn as_ref(&self) -> &[u8] {
        // The bounds were checked when the lease began.
        let bytes = self.0.view.bytes(self.0.offset, self.0.len);
        bytes.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::super::Segment;
    use super::*;

    #[test]
    fn ends_only_when_nobody_holds_a_window() {
        let mut segment = Segment::with_capacity(c"test", 1 << 20).unwrap();
        segment.commit(4).unwrap();
        segment.write(0, b"abcd").unwrap();
        let view = View::new(segment.as_fd().try_clone_to_owned().unwrap()).unwrap();
        let lease = Lease::new(view, 1, 2).unwrap();
        drop(lease.window());
        let view = lease.end().unwrap();
        let lease = Lease::new(view, 1, 2).unwrap();
        let kept = lease.window();
        assert!(lease.end().is_none());
        assert_eq!(kept.as_ref(), b"bc");
    }
}
