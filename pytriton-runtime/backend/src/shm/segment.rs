use std::ffi::CStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::map::{Map, PAGE};
use super::sys;

/// Memory that this process writes and another one reads.
///
/// Its capacity is only address space; memory is allocated from the beginning, as far as it is
/// committed.
#[derive(Debug)]
pub(crate) struct Segment {
    file: File,
    map: Map,
    committed: AtomicUsize,
}

/// Shared memory is not available.
#[derive(Debug)]
pub enum SegmentError {
    /// The system refuses the memory.
    Memory {
        /// The number of bytes requested.
        bytes: usize,
        /// The system's error.
        source: io::Error,
    },
    /// The bytes are outside the allocation.
    Bounds {
        /// The offset of the first byte.
        offset: usize,
        /// The number of bytes.
        len: usize,
    },
}

impl Segment {
    /// Creates an empty segment of that capacity.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Memory`] if the system provides no file or address space for it.
    pub(crate) fn new(name: &CStr, capacity: usize) -> Result<Self, SegmentError> {
        let memory = |source| SegmentError::Memory {
            bytes: capacity,
            source,
        };
        let capacity = capacity.checked_next_multiple_of(PAGE);
        let capacity = capacity.ok_or_else(|| memory(io::ErrorKind::FileTooLarge.into()))?;
        // A file that exceeds the limit would raise a fatal signal.
        if capacity as u64 > limit(sys::RLIMIT_FSIZE).map_err(memory)? {
            return Err(memory(io::ErrorKind::FileTooLarge.into()));
        }
        let file = create(name).map_err(memory)?;
        file.set_len(capacity as u64).map_err(memory)?;
        let seals = sys::F_SEAL_SHRINK | sys::F_SEAL_GROW | sys::F_SEAL_SEAL;
        // SAFETY: the call takes an integer argument and touches no memory of this process.
        let sealed = unsafe { sys::fcntl(file.as_raw_fd(), sys::F_ADD_SEALS, seals) };
        sys::result(sealed).map_err(memory)?;
        let map = Map::new(&file, capacity, true).map_err(memory)?;
        Ok(Self {
            file,
            map,
            committed: AtomicUsize::new(0),
        })
    }

    /// Returns its size in address space.
    pub(crate) fn capacity(&self) -> usize {
        self.map.len()
    }

    /// Returns the number of bytes of memory it holds.
    pub(crate) fn committed(&self) -> usize {
        self.committed.load(Ordering::Relaxed)
    }

    /// Makes sure that the first `len` bytes can be written. Must not be called by two threads at a
    /// time, nor concurrently with [`trim`](Self::trim).
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Memory`] if the system refuses the memory.
    pub(crate) fn commit(&self, len: usize) -> Result<(), SegmentError> {
        let committed = self.committed();
        if len <= committed {
            return Ok(());
        }
        let memory = |source| SegmentError::Memory { bytes: len, source };
        if len > self.map.len() {
            return Err(memory(io::ErrorKind::FileTooLarge.into()));
        }
        let end = len.next_multiple_of(PAGE);
        if end as u64 > limit(sys::RLIMIT_FSIZE).map_err(memory)? {
            return Err(memory(io::ErrorKind::FileTooLarge.into()));
        }
        self.allocate(0, committed, end).map_err(memory)?;
        self.committed.store(end, Ordering::Relaxed);
        Ok(())
    }

    /// Releases all but the first `keep` bytes. They read as zeros from then on.
    pub(crate) fn trim(&self, keep: usize) {
        let keep = keep.next_multiple_of(PAGE);
        let committed = self.committed();
        if keep >= committed {
            return;
        }
        let hole = sys::FALLOC_FL_PUNCH_HOLE | sys::FALLOC_FL_KEEP_SIZE;
        // If it cannot be released, it is kept.
        if self.allocate(hole, keep, committed).is_ok() {
            self.committed.store(keep, Ordering::Relaxed);
        }
    }

    /// Copies bytes to an offset.
    ///
    /// # Errors
    ///
    /// Returns [`SegmentError::Bounds`] if they exceed the committed memory.
    ///
    /// # Safety
    ///
    /// Nothing else may read or write these bytes meanwhile, in this process or in another.
    pub(super) unsafe fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), SegmentError> {
        let len = bytes.len();
        let bounds = SegmentError::Bounds { offset, len };
        let end = offset.checked_add(len);
        if end.is_none_or(|end| end > self.committed()) {
            return Err(bounds);
        }
        let Some(target) = self.map.at(offset, len) else {
            return Err(bounds);
        };
        // SAFETY:
        // - `target` is valid for writes of `len` bytes: `at` has checked them against the mapping,
        //   and their pages are allocated (invariant 2).
        // - `bytes` is valid for reads of `len` bytes.
        // - They do not overlap: nothing else refers to the target, as guaranteed by the caller.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target.as_ptr(), len) };
        Ok(())
    }

    fn allocate(&self, mode: i32, from: usize, to: usize) -> io::Result<()> {
        let descriptor = self.file.as_raw_fd();
        let (offset, length) = (signed(from)?, signed(to - from)?);
        // SAFETY: the call takes integers, and the removed part of the file is not read by anyone
        // (invariant 3).
        sys::uninterrupted(|| unsafe { sys::fallocate(descriptor, mode, offset, length) })?;
        Ok(())
    }
}

impl AsFd for Segment {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { bytes, source } => {
                write!(
                    f,
                    "cannot allocate {bytes} bytes of shared memory: {source}"
                )
            }
            Self::Bounds { offset, len } => {
                write!(f, "{len} bytes at {offset} are not in shared memory")
            }
        }
    }
}

impl std::error::Error for SegmentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Memory { source, .. } => Some(source),
            Self::Bounds { .. } => None,
        }
    }
}

fn create(name: &CStr) -> io::Result<File> {
    let flags = sys::MFD_CLOEXEC | sys::MFD_ALLOW_SEALING;
    // SAFETY: `name` ends with a zero byte and outlives the call.
    let descriptor = sys::result(unsafe { sys::memfd_create(name.as_ptr(), flags) })?;
    // SAFETY: the descriptor was created by the call above, and nothing else owns it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    Ok(File::from(descriptor))
}

/// Returns the limit of a resource.
fn limit(resource: i32) -> io::Result<u64> {
    let mut limit = sys::Limit {
        current: 0,
        maximum: 0,
    };
    // SAFETY: `limit` has the layout of `struct rlimit` and is valid for writes.
    sys::result(unsafe { sys::getrlimit(resource, &raw mut limit) })?;
    Ok(limit.current)
}

fn signed(value: usize) -> io::Result<i64> {
    i64::try_from(value).map_err(|_| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Segment {
        Segment::new(c"test", 8 << 20).unwrap()
    }

    fn write(segment: &Segment, offset: usize, bytes: &[u8]) -> bool {
        // SAFETY: the test owns the segment.
        unsafe { segment.write(offset, bytes) }.is_ok()
    }

    #[test]
    fn writes_outside_the_committed_range_fail() {
        let segment = segment();
        assert!(!write(&segment, 0, b"x"));
        segment.commit(1).unwrap();
        assert!(write(&segment, PAGE - 1, b"x"));
        assert!(!write(&segment, PAGE, b"x"));
        assert!(!write(&segment, usize::MAX, b"x"));
        assert!(write(&segment, PAGE, b""));
    }

    #[test]
    fn segment_cannot_be_resized() {
        let segment = segment();
        assert!(segment.file.set_len(0).is_err());
        assert!(segment.file.set_len(16 << 20).is_err());
    }

    #[test]
    fn allocation_error_contains_the_size() {
        let error = segment().commit((8 << 20) + 1).unwrap_err();
        let expected = "cannot allocate 8388609 bytes of shared memory";
        assert!(error.to_string().starts_with(expected), "{error}");
    }

    #[test]
    fn trimming_releases_memory() {
        let segment = segment();
        segment.commit(7 << 20).unwrap();
        segment.trim(1 << 20);
        assert_eq!((segment.committed(), blocks(&segment)), (1 << 20, 1 << 20));
        segment.commit(7 << 20).unwrap();
        assert_eq!(blocks(&segment), 7 << 20);
    }

    #[test]
    fn segment_is_excluded_from_core_dumps() {
        let segment = segment();
        let base = segment.map.base().as_ptr().addr();
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let (_, mapping) = maps.split_once(&format!("{base:x}-")).unwrap();
        let flags = mapping.lines().find(|line| line.starts_with("VmFlags:"));
        assert!(flags.unwrap().contains(" dd"), "{flags:?}");
    }

    #[test]
    #[cfg_attr(sanitizer, ignore = "sanitizers take terabytes of addresses")]
    fn memory_limit_fails_the_batch_and_not_the_process() {
        const LIMITED: &str = "PYTRITON_TEST_LIMITED";
        if std::env::var_os(LIMITED).is_some() {
            let segment = Segment::new(c"test", 1 << 20).unwrap();
            segment.commit(512 << 10).unwrap();
            let error = Segment::new(c"test", 1 << 30).unwrap_err().to_string();
            let expected = "cannot allocate 1073741824 bytes of shared memory";
            assert!(error.starts_with(expected), "{error}");
            assert!(write(&segment, 0, b"still there"));
            return;
        }
        let test = "shm::segment::tests::under_a_limit_a_batch_fails_and_nothing_dies";
        // Limits of the file size and of the address space: 1 GiB minus one page.
        for limit in ["-f 1024", "-v 1048575"] {
            let limited = std::process::Command::new("bash")
                .args([
                    "-c",
                    &format!("ulimit {limit} && exec \"$0\" --exact \"$1\""),
                ])
                .arg(std::env::current_exe().unwrap())
                .arg(test)
                .env(LIMITED, "1")
                .output()
                .unwrap();
            assert!(limited.status.success(), "{limit}: {limited:?}");
        }
    }

    fn blocks(segment: &Segment) -> usize {
        use std::os::unix::fs::MetadataExt;
        usize::try_from(segment.file.metadata().unwrap().blocks() * 512).unwrap()
    }
}
