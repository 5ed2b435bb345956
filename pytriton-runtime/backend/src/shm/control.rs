use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, AtomicU64};

use super::map::{Map, PAGE};
use super::segment::{Segment, SegmentError};
use super::view::sealed_len;

/// The page of numbers that both sides change.
#[derive(Debug)]
pub struct Control {
    map: Map,
    file: File,
}

/// What stands on it.
#[derive(Debug)]
#[repr(C)]
pub struct Numbers {
    /// The doorbell's word.
    pub bell: AtomicU32,
    /// How many input segments the worker has kept.
    pub kept: AtomicU32,
    /// The bytes of the batch's description, at the start of the input segment.
    pub batch: AtomicU64,
    /// The bytes of the batch's tensors, behind it.
    pub batch_data: AtomicU64,
    /// The bytes of the answer's description, at the start of the output segment.
    pub answer: AtomicU64,
    /// The bytes of the answer's tensors, behind it.
    pub answer_data: AtomicU64,
}

impl Control {
    /// A page of zeros.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Memory`] when the system does not give one.
    pub fn new() -> Result<Self, SegmentError> {
        let mut segment = Segment::with_capacity(c"pytriton-control", PAGE)?;
        segment.commit(PAGE)?;
        let descriptor = segment.as_fd().try_clone_to_owned();
        let memory = |source| SegmentError::Memory {
            bytes: PAGE,
            source,
        };
        Self::open(descriptor.map_err(memory)?).map_err(memory)
    }

    /// Maps a page that was handed over.
    ///
    /// # Errors
    ///
    /// An [`io::Error`] when the file is not sealed as a segment is, or too small.
    pub fn open(descriptor: OwnedFd) -> io::Result<Self> {
        let file = File::from(descriptor);
        if sealed_len(&file)? < PAGE {
            return Err(io::Error::other("a control page that is too small"));
        }
        let map = Map::new(&file, PAGE, true)?;
        Ok(Self { map, file })
    }

    /// The numbers.
    pub fn numbers(&self) -> &Numbers {
        let base = self.map.base().cast::<Numbers>();
        // SAFETY:
        // - `base` is the start of a page: aligned, and longer than `Numbers`.
        // - The page was zeroed by the kernel, and zeros are valid atomics.
        // - Atomics may be changed by others at any time (invariant 4).
        // - The mapping lives as long as `self`, and the file cannot shrink (invariant 1).
        unsafe { base.as_ref() }
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
