use std::fs::File;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Futex;
use super::map::Map;
use super::segment::{Segment, SegmentError};
use super::view::sealed_len;
use crate::ring::{Indices, Ring, Slot};

/// The memory that both sides write: two rings, and the state that the worker reports.
#[derive(Debug)]
pub(crate) struct Control {
    map: Map,
    file: File,
    slots: Slots,
}

/// The number of slots of each ring. Both are powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// From tritonserver to the worker.
    pub down: u32,
    /// From the worker to tritonserver.
    pub up: u32,
}

/// The state of the instances behind a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// They serve.
    Serving,
    /// They cannot serve now.
    Unavailable,
}

/// The beginning of the memory.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Head {
    down: Indices,
    up: Indices,
    state: AtomicU32,
}

/// Bits of [`Head::state`]: no instance can serve; the server is stopping and not ready, although
/// its instances serve.
const UNAVAILABLE: u32 = 1;
const STOPPING: u32 = 2;

impl Slots {
    /// The maximum number of slots of a ring.
    const MAX_SLOTS: u32 = 1 << 20;

    /// Returns the size of both rings, or `None` for invalid numbers.
    fn len(self) -> Option<usize> {
        let fits = |slots: u32| slots.is_power_of_two() && slots <= Self::MAX_SLOTS;
        let slots = self.down as usize + self.up as usize;
        let fit = fits(self.down) && fits(self.up);
        fit.then(|| size_of::<Head>() + slots * size_of::<Slot>())
    }
}

impl Control {
    /// Creates two empty rings.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Memory`] if the system refuses the memory.
    pub(crate) fn new(slots: Slots) -> Result<Self, SegmentError> {
        let memory = |bytes| move |source| SegmentError::Memory { bytes, source };
        let len = slots.len().unwrap_or(usize::MAX);
        let segment = Segment::new(c"pytriton-control", len)?;
        segment.commit(len)?;
        let descriptor = segment.as_fd().try_clone_to_owned();
        Self::open(descriptor.map_err(memory(len))?, slots).map_err(memory(len))
    }

    /// Maps rings that were handed over.
    ///
    /// # Errors
    ///
    /// Returns an [`io::Error`] if the file is too small or not sealed.
    pub(crate) fn open(descriptor: OwnedFd, slots: Slots) -> io::Result<Self> {
        let file = File::from(descriptor);
        let len = slots.len();
        let len = len.ok_or_else(|| io::Error::other("rings with an invalid length"))?;
        if sealed_len(&file)? < len {
            return Err(io::Error::other("rings that are too small"));
        }
        let map = Map::new(&file, len, true)?;
        Ok(Self { map, file, slots })
    }

    /// Returns the ring from tritonserver to the worker.
    pub(crate) fn down(&self) -> Ring<'_, Futex> {
        Ring::new(&self.head().down, self.slots(0, self.slots.down), Futex)
    }

    /// Returns the ring from the worker to tritonserver.
    pub(crate) fn up(&self) -> Ring<'_, Futex> {
        let slots = self.slots(self.slots.down, self.slots.up);
        Ring::new(&self.head().up, slots, Futex)
    }

    /// Returns whether the instances behind the session can serve.
    pub(crate) fn state(&self) -> State {
        match self.head().state.load(Ordering::Relaxed) & UNAVAILABLE {
            0 => State::Serving,
            _ => State::Unavailable,
        }
    }

    /// Sets the state.
    pub(crate) fn set_state(&self, state: State) {
        match state {
            State::Serving => self.head().state.fetch_and(!UNAVAILABLE, Ordering::Relaxed),
            State::Unavailable => self.head().state.fetch_or(UNAVAILABLE, Ordering::Relaxed),
        };
    }

    /// Reports the instances as not ready from now on. They still execute batches.
    pub(crate) fn set_stopping(&self) {
        self.head().state.fetch_or(STOPPING, Ordering::Relaxed);
    }

    /// Returns whether the instances can serve and the server is not stopping.
    pub(crate) fn is_ready(&self) -> bool {
        self.head().state.load(Ordering::Relaxed) == 0
    }

    fn head(&self) -> &Head {
        let base = self.map.base().cast::<Head>();
        // SAFETY:
        // - `base` is the start of a page, and the mapping is longer than `Head`.
        // - The kernel zeroed the memory, and zeros are valid atomics.
        // - Atomics may be changed by others at any time (invariant 4).
        // - The mapping lives as long as `self`, and the file cannot shrink (invariant 1).
        unsafe { base.as_ref() }
    }

    fn slots(&self, first: u32, count: u32) -> &[Slot] {
        let base = self.map.base().cast::<Slot>().as_ptr();
        let offset = size_of::<Head>() / size_of::<Slot>() + first as usize;
        let slots = base.wrapping_add(offset);
        // SAFETY:
        // - `open` has created the mapping with the length of the head and all slots.
        // - The size of `Head` is a multiple of a slot, so the slots are aligned like the page.
        // - Zeros are valid atomics, which others may change at any time (invariant 4).
        // - The mapping lives as long as `self`, and the file cannot shrink (invariant 1).
        unsafe { slice::from_raw_parts(slots, count as usize) }
    }
}

const _: () = assert!(size_of::<Head>().is_multiple_of(size_of::<Slot>()));

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_rings() {
        let slots = Slots { down: 4, up: 8 };
        let one = Control::new(slots).unwrap();
        let two = Control::open(one.as_fd().try_clone_to_owned().unwrap(), slots).unwrap();
        assert_eq!((two.down().capacity(), two.up().capacity()), (4, 8));
        assert_eq!(two.state(), State::Serving);
        one.set_state(State::Unavailable);
        assert_eq!(two.state(), State::Unavailable);
    }

    #[test]
    fn stopping_worker_is_not_ready() {
        let control = Control::new(Slots { down: 4, up: 4 }).unwrap();
        assert!(control.is_ready());
        control.set_stopping();
        for state in [State::Serving, State::Unavailable, State::Serving] {
            control.set_state(state);
            assert_eq!((control.state(), control.is_ready()), (state, false));
        }
    }

    #[test]
    fn invalid_slot_counts_are_rejected() {
        let control = Control::new(Slots { down: 4, up: 4 }).unwrap();
        for (down, up) in [(0, 4), (3, 4), (4, 1 << 21), (1 << 20, 1 << 20)] {
            let descriptor = control.as_fd().try_clone_to_owned().unwrap();
            let opened = Control::open(descriptor, Slots { down, up });
            assert!(opened.is_err(), "{down} {up}");
        }
    }
}
