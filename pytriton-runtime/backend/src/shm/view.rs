use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::slice;
use std::sync::Arc;

use super::map::Map;
use super::sys;

/// Another process's segment, mapped to be read.
#[derive(Debug)]
pub(crate) struct View {
    map: Map,
}

/// The segments that another process has handed over.
#[derive(Debug, Default)]
pub(crate) struct Views(Vec<(u32, Arc<View>)>);

impl View {
    /// Maps a segment that was handed over.
    ///
    /// # Errors
    ///
    /// An [`io::Error`] when the file is not sealed as a segment is, or there is no address space for it.
    pub(crate) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        let file = File::from(descriptor);
        let len = sealed_len(&file)?;
        let map = Map::new(&file, len, false)?;
        Ok(Self { map })
    }

    /// Reads bytes for the length of a borrow; `None` when they are not all in the segment.
    ///
    /// To be called for bytes of a region that the other side has handed over, which must not be given back while the
    /// borrow lives (invariant 3).
    pub(crate) fn bytes(&self, offset: usize, len: usize) -> Option<&[u8]> {
        let base = self.map.at(offset, len)?;
        // SAFETY:
        // - `base` is valid for reads of `len` bytes: `at` has checked them against the mapping, and the file cannot
        //   shrink below it (invariant 1).
        // - Every byte of a mapped file is initialised, and bytes have no alignment.
        // - Nobody writes them while the borrow lives (invariant 3).
        // - `len` is within a mapping, and thus below `isize::MAX`.
        Some(unsafe { slice::from_raw_parts(base.as_ptr(), len) })
    }
}

impl Views {
    /// Notes a segment; one that had the number before is forgotten.
    pub(crate) fn insert(&mut self, number: u32, view: View) {
        self.remove(number);
        self.0.push((number, Arc::new(view)));
    }

    /// Forgets a segment.
    pub(crate) fn remove(&mut self, number: u32) {
        self.0.retain(|(other, _)| *other != number);
    }

    /// A segment.
    pub(crate) fn get(&self, number: u32) -> Option<&Arc<View>> {
        let mut views = self.0.iter();
        views
            .find(|(other, _)| *other == number)
            .map(|(_, view)| view)
    }
}

/// The length of a file that can never be shorter.
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
    fn sees_what_is_written_and_nothing_beyond() {
        let mut arena = Arena::default();
        let mut region = arena.allocate(64).unwrap();
        region.write(2, b"bread").unwrap();
        let view = View::new(region.file().try_clone_to_owned().unwrap()).unwrap();
        assert_eq!(view.bytes(1, 7).unwrap(), b"\0bread\0");
        let whole = view.map.len();
        for (offset, len, fits) in [(0, whole, true), (1, whole, false), (usize::MAX, 1, false)] {
            assert_eq!(view.bytes(offset, len).is_some(), fits, "{offset} {len}");
        }
    }

    #[test]
    fn refuses_a_file_that_could_shrink() {
        let path = std::env::temp_dir().join(format!("pytriton-view-{}", std::process::id()));
        let file = File::create_new(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(View::new(OwnedFd::from(file)).is_err());
    }
}
