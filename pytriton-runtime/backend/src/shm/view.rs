use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::slice;

use super::map::Map;
use super::sys;

/// Another process's [`Segment`](super::Segment), mapped to be read.
#[derive(Debug)]
pub struct View {
    map: Map,
}

impl View {
    /// Maps a segment that was handed over.
    ///
    /// # Errors
    ///
    /// An [`io::Error`] when the file is not sealed as a segment is, or there is no address space for it.
    pub fn new(descriptor: OwnedFd) -> io::Result<Self> {
        let file = File::from(descriptor);
        let len = sealed_len(&file)?;
        let map = Map::new(&file, len, false)?;
        Ok(Self { map })
    }

    /// Reads bytes for the length of a borrow; `None` when they are not all in the segment.
    ///
    /// To be called during this side's turn only, so that nobody writes them meanwhile (invariant 3). The other side is
    /// this library as well: whether it keeps to that is a matter of this crate's correctness, not of its users'.
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

    /// Keeps the address space of the first `len` bytes only.
    ///
    /// # Safety
    ///
    /// No bytes behind the first `len` may be borrowed.
    pub(super) unsafe fn truncate(&self, len: usize) {
        // SAFETY: the addresses of this view are used only through what it lends, by the caller's word.
        unsafe { self.map.truncate(len) };
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
    use std::os::fd::AsFd;

    use super::super::Segment;
    use super::*;

    #[test]
    fn sees_what_is_written_and_nothing_beyond() {
        let mut segment = Segment::with_capacity(c"test", 1 << 20).unwrap();
        segment.commit(10).unwrap();
        segment.write(2, b"bread").unwrap();
        let view = View::new(segment.as_fd().try_clone_to_owned().unwrap()).unwrap();
        assert_eq!(view.bytes(1, 7).unwrap(), b"\0bread\0");
        let table = [
            (0, 1 << 20, true),
            (1, 1 << 20, false),
            (usize::MAX, 1, false),
        ];
        for (offset, len, fits) in table {
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
