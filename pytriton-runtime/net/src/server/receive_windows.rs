//! The memory for HTTP/2 requests that have arrived and have not been read.
//!
//! A client may send as many bytes as the receive window of its connection has left, whether or not
//! the server reads them. The window is fixed when the connection opens, so its memory is reserved
//! then.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};

/// The largest window of a connection. Almost a quarter of it, the window of a stream, lets a
/// tensor of a few MiB arrive in few round trips.
const MAX_WINDOW_BYTES: usize = 8 << 20;

/// The smallest window. The protocol starts with it and cannot make it smaller.
const MIN_WINDOW_BYTES: usize = 65_535;

/// All windows together get at most this fraction of the budget (a divisor).
const SHARE_OF_BUDGET: usize = 4;

/// A connection gets at most this fraction of the remaining window memory (a divisor). The more
/// connections are open, the smaller the windows of new ones, but every connection has one.
const REMAINING_MEMORY_DIVISOR: usize = 32;

/// A connection gets one stream for each of these bytes of its window, and at least the minimum.
const STREAM_BYTES: usize = 8 << 10;
const MIN_STREAMS: u32 = 8;

/// If this many streams are unread, 1/`REST_DIVISOR` of the window remains for other streams, such
/// as health calls.
const UNREAD_STREAMS: u32 = 4;
const REST_DIVISOR: u32 = 16;

/// The receive windows of all connections of a server.
#[derive(Debug)]
pub struct ReceiveWindows {
    budget: Arc<MemoryBudget>,
    reserved: AtomicUsize,
}

/// The receive window of one connection. Its memory is released when it is dropped.
#[derive(Debug)]
pub(crate) struct ReceiveWindow {
    bytes: usize,
    /// `None` if the budget is exhausted. The window is then the smallest one, and each request
    /// reserves its bytes in it.
    reserved: Option<Reserved>,
}

#[derive(Debug)]
struct Reserved {
    windows: Arc<ReceiveWindows>,
    bytes: usize,
    _permit: MemoryPermit,
}

impl ReceiveWindows {
    /// Creates the windows, which take at most a quarter of the budget.
    pub fn new(budget: &Arc<MemoryBudget>) -> Arc<Self> {
        Arc::new(Self {
            budget: Arc::clone(budget),
            reserved: AtomicUsize::new(0),
        })
    }

    /// Creates windows with an unlimited budget.
    #[cfg(test)]
    pub(crate) fn unlimited() -> Arc<Self> {
        Self::new(&MemoryBudget::new(usize::MAX))
    }

    /// Returns the budget that the windows are a part of.
    pub(crate) fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    /// Reserves the window of a new connection.
    pub(crate) fn open(self: &Arc<Self>) -> ReceiveWindow {
        let limit = self.budget.limit() / SHARE_OF_BUDGET;
        let size = |reserved: usize| {
            let rest = limit.saturating_sub(reserved);
            let bytes = (rest / REMAINING_MEMORY_DIVISOR).clamp(MIN_WINDOW_BYTES, MAX_WINDOW_BYTES);
            (bytes <= rest).then_some(bytes)
        };
        let order = Ordering::Relaxed;
        let taken = self.reserved.fetch_update(order, order, |reserved| {
            size(reserved).map(|bytes| reserved + bytes)
        });
        let bytes = taken.ok().and_then(size).unwrap_or_default();
        let mut permit = self.budget.empty_permit();
        if bytes == 0 || permit.grow(bytes).is_err() {
            self.reserved.fetch_sub(bytes, order);
            return ReceiveWindow {
                bytes: MIN_WINDOW_BYTES,
                reserved: None,
            };
        }
        ReceiveWindow {
            bytes,
            reserved: Some(Reserved {
                windows: Arc::clone(self),
                bytes,
                _permit: permit,
            }),
        }
    }
}

impl ReceiveWindow {
    /// Returns the window of the connection in bytes.
    pub(crate) fn connection(&self) -> u32 {
        u32::try_from(self.bytes).unwrap_or(u32::MAX)
    }

    /// Returns how many bytes of a body may wait in the window without a reservation. `length` is
    /// the length of the body, if it is known.
    pub(crate) fn unreserved(&self, length: Option<u64>) -> usize {
        let length = length.and_then(|length| usize::try_from(length).ok());
        match self.reserved {
            Some(_) => 0,
            None => length.map_or(self.bytes, |length| length.min(self.bytes)),
        }
    }

    /// Returns the number of concurrent streams, at most `limit`. A stream takes some KiB with its
    /// head, even if its body is empty.
    pub(crate) fn streams(&self, limit: u32) -> u32 {
        let streams = u32::try_from(self.bytes / STREAM_BYTES).unwrap_or(u32::MAX);
        streams.max(MIN_STREAMS).min(limit)
    }

    /// Returns the window of each stream. It is smaller, so that a few unread streams do not block
    /// all others. More unread streams can block the connection: smaller windows would prevent
    /// that, but slow down streams that are read.
    pub(crate) fn stream(&self) -> u32 {
        let connection = self.connection();
        (connection - connection / REST_DIVISOR) / UNREAD_STREAMS
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let reserved = &self.windows.reserved;
        reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn windows_get_a_share_of_the_budget_and_every_connection_has_one() {
        for (limit, first) in [
            (1 << 30, MAX_WINDOW_BYTES),
            (usize::MAX, MAX_WINDOW_BYTES),
            (64 * MIB, MIB / 2),
            (MIB, MIN_WINDOW_BYTES),
            (0, MIN_WINDOW_BYTES),
        ] {
            let budget = MemoryBudget::new(limit);
            let windows = ReceiveWindows::new(&budget);
            let open: Vec<_> = (0..1024).map(|_| windows.open()).collect();
            assert_eq!(open[0].bytes, first, "{limit}");
            assert!(budget.reserved() <= limit / SHARE_OF_BUDGET, "{limit}");
            let sizes = open.iter().map(|window| window.bytes);
            assert!(sizes.is_sorted_by(|before, after| before >= after));
            assert!(open.iter().all(|window| window.bytes >= MIN_WINDOW_BYTES));
            for window in &open {
                let rest = window.connection() - UNREAD_STREAMS * window.stream();
                assert!(window.stream() >= 15_000 && rest >= 4095, "{rest}");
            }
            let streams = open.iter().map(|window| window.streams(100));
            assert!(streams.clone().all(|streams| (8..=100).contains(&streams)));
            let bytes: usize = streams.map(|streams| streams as usize * STREAM_BYTES).sum();
            assert!(bytes <= limit / SHARE_OF_BUDGET + 1024 * (MIN_WINDOW_BYTES + 1));
            drop(open);
            assert_eq!(budget.reserved(), 0);
            assert_eq!(windows.open().bytes, first);
        }
    }

    #[test]
    fn a_full_budget_leaves_the_smallest_window() {
        let budget = MemoryBudget::new(64 * MIB);
        let windows = ReceiveWindows::new(&budget);
        let requests = budget.reserve(64 * MIB).unwrap();
        let window = windows.open();
        assert_eq!(window.bytes, MIN_WINDOW_BYTES);
        assert_eq!(budget.reserved(), 64 * MIB);
        drop(requests);
        assert_eq!(windows.open().bytes, MIB / 2);
        assert_eq!(budget.reserved(), 0);
        drop(window);
        assert_eq!(windows.open().bytes, MIB / 2);
    }
}
