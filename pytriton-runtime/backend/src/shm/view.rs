use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::slice;
use std::sync::Arc;

use super::map::Map;
use super::segment::SegmentError;
use super::sys;

/// A read-only mapping of another process's segment.
#[derive(Debug)]
pub(crate) struct View {
    map: Map,
}

/// The segments that another process has handed over.
#[derive(Debug, Default)]
pub(crate) struct Views(Vec<(u32, SegmentState)>);

/// A segment that was handed over.
#[derive(Debug)]
enum SegmentState {
    /// It is mapped.
    Mapped(Arc<View>),
    /// It is not mapped yet, or there was no address space for it.
    Unmapped(File),
}

impl View {
    /// Maps a segment that was handed over.
    ///
    /// # Errors
    ///
    /// Returns an [`io::Error`] if the file is not sealed, or if there is no address space for it.
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        let len = sealed_len(file)?;
        let map = Map::new(file, len, false)?;
        Ok(Self { map })
    }

    /// Borrows bytes, or returns `None` if they are not all in the segment.
    ///
    /// The bytes must belong to a region that the other side has handed over, which must not be
    /// returned while the borrow lives (invariant 3).
    pub(crate) fn bytes(&self, offset: usize, len: usize) -> Option<&[u8]> {
        let base = self.map.at(offset, len)?;
        // SAFETY:
        // - `base` is valid for reads of `len` bytes: `at` has checked them against the mapping,
        //   and the file cannot shrink below it (invariant 1).
        // - Every byte of a mapped file is initialised, and bytes have no alignment.
        // - They are not written while the borrow lives (invariant 3).
        // - `len` is within a mapping, and thus below `isize::MAX`.
        Some(unsafe { slice::from_raw_parts(base.as_ptr(), len) })
    }
}

impl Views {
    /// Adds a segment, replacing one with the same number.
    pub(crate) fn insert(&mut self, number: u32, descriptor: OwnedFd) {
        self.remove(number);
        let file = File::from(descriptor);
        self.0.push((number, SegmentState::Unmapped(file)));
    }

    /// Removes a segment.
    pub(crate) fn remove(&mut self, number: u32) {
        self.0.retain(|(other, _)| *other != number);
    }

    /// Returns a segment to read `bytes` bytes from it, or `None` if the number is unknown.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Memory`] if there is no address space for it, or if it is not a
    /// segment.
    pub(crate) fn get(
        &mut self,
        number: u32,
        bytes: usize,
    ) -> Result<Option<&Arc<View>>, SegmentError> {
        let mut state = self.0.iter_mut();
        let Some((_, state)) = state.find(|(other, _)| *other == number) else {
            return Ok(None);
        };
        if let SegmentState::Unmapped(file) = state {
            let view = View::new(file).map_err(|source| SegmentError::Memory { bytes, source })?;
            *state = SegmentState::Mapped(Arc::new(view));
        }
        Ok(match state {
            SegmentState::Mapped(view) => Some(view),
            SegmentState::Unmapped(_) => None,
        })
    }
}

/// Returns the length of a file that can never shrink.
pub(super) fn sealed_len(file: &File) -> io::Result<usize> {
    // SAFETY: the call takes integers and touches no memory of this process.
    let seals = sys::result(unsafe { sys::fcntl(file.as_raw_fd(), sys::F_GET_SEALS) })?;
    let needed = sys::F_SEAL_SHRINK | sys::F_SEAL_SEAL;
    if seals & needed != needed {
        return Err(io::Error::other("a segment without its seals"));
    }
    usize::try_from(file.metadata()?.len()).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::super::Arena;
    use super::*;

    #[test]
    fn view_reads_written_bytes_within_bounds() {
        let mut arena = Arena::default();
        let mut region = arena.allocate(64).unwrap();
        region.write(2, b"bread").unwrap();
        let view = View::new(&File::from(region.file().try_clone_to_owned().unwrap())).unwrap();
        assert_eq!(view.bytes(1, 7).unwrap(), b"\0bread\0");
        let size = view.map.len();
        for (offset, len, fits) in [(0, size, true), (1, size, false), (usize::MAX, 1, false)] {
            assert_eq!(view.bytes(offset, len).is_some(), fits, "{offset} {len}");
        }
    }

    #[test]
    fn unsealed_file_is_rejected() {
        let path = std::env::temp_dir().join(format!("pytriton-view-{}", std::process::id()));
        let file = File::create_new(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(View::new(&file).is_err());
    }
}
