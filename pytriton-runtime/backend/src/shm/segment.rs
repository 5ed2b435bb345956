use std::ffi::CStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

use super::map::{Map, PAGE};
use super::sys;

/// Memory that this process writes and another one reads.
///
/// It has room for [`Segment::CAPACITY`] bytes, of which those are allocated that a batch has needed: growing costs
/// neither a new file nor a new mapping on either side.
#[derive(Debug)]
pub struct Segment {
    file: File,
    map: Map,
    committed: usize,
    recent: Recent,
}

/// Why a segment cannot hold what it is asked to.
#[derive(Debug)]
pub enum SegmentError {
    /// The system gives no more memory.
    Memory {
        /// The bytes asked for.
        bytes: usize,
        /// The system's words.
        source: io::Error,
    },
    /// The bytes lie outside what was committed.
    Bounds {
        /// The first byte.
        offset: usize,
        /// How many.
        len: usize,
    },
}

impl Segment {
    /// The bytes of address space of a segment, which bound a batch. A process has room for thousands of them.
    pub const CAPACITY: usize = 32 << 30;

    /// Where address space is limited (`RLIMIT_AS`), a segment takes one part of so many, as every channel has two.
    const PARTS: u64 = 16;

    /// What is kept from one batch to the next at most. Above it the allocation is a small part of a batch's time.
    const KEPT: usize = 64 << 20;

    /// An empty segment.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Memory`] when the system has no file or no address space for it.
    pub fn new(name: &CStr) -> Result<Self, SegmentError> {
        Self::with_capacity(name, Self::CAPACITY)
    }

    /// An empty segment for at most that many bytes, or fewer where limits of the process allow fewer.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Memory`] when the system has no file or no address space for it.
    pub fn with_capacity(name: &CStr, capacity: usize) -> Result<Self, SegmentError> {
        let memory = |source| SegmentError::Memory {
            bytes: capacity,
            source,
        };
        // A file that is larger than its limit would be answered with a deadly signal.
        let file_size = limit(sys::RLIMIT_FSIZE).map_err(memory)?;
        let addresses = limit(sys::RLIMIT_AS).map_err(memory)? / Self::PARTS;
        let limit = usize::try_from(file_size.min(addresses)).unwrap_or(usize::MAX);
        let capacity = capacity.next_multiple_of(PAGE).min(limit / PAGE * PAGE);
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
            committed: 0,
            recent: Recent::default(),
        })
    }

    /// Makes sure that the first `len` bytes can be written.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Memory`] when the system does not give them.
    pub fn commit(&mut self, len: usize) -> Result<(), SegmentError> {
        self.recent.note(len);
        if len <= self.committed {
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
        self.allocate(0, self.committed, end).map_err(memory)?;
        self.committed = end;
        Ok(())
    }

    /// Gives back what the recent batches have not needed, and at once what only a huge one does.
    pub fn relax(&mut self) {
        self.trim(Self::KEPT);
        if let Some(needed) = self.recent.surplus(self.committed) {
            self.trim(needed);
        }
    }

    /// Gives back all but the first `keep` bytes.
    pub fn trim(&mut self, keep: usize) {
        let keep = keep.next_multiple_of(PAGE);
        if keep >= self.committed {
            return;
        }
        let hole = sys::FALLOC_FL_PUNCH_HOLE | sys::FALLOC_FL_KEEP_SIZE;
        // What cannot be given back is kept.
        if self.allocate(hole, keep, self.committed).is_ok() {
            self.committed = keep;
        }
    }

    /// Copies bytes to an offset.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Bounds`] when they do not fit what was committed.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SegmentError> {
        let len = bytes.len();
        let bounds = SegmentError::Bounds { offset, len };
        let end = offset.checked_add(len);
        if end.is_none_or(|end| end > self.committed) {
            return Err(bounds);
        }
        let Some(target) = self.map.at(offset, len) else {
            return Err(bounds);
        };
        // SAFETY:
        // - `target` is valid for writes of `len` bytes: `at` has checked them against the mapping, and their pages are
        //   allocated (invariant 2).
        // - `bytes` is valid for reads of `len` bytes.
        // - They do not overlap: nothing in this process refers into a mapping that `&mut self` owns.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target.as_ptr(), len) };
        Ok(())
    }

    fn allocate(&self, mode: i32, from: usize, to: usize) -> io::Result<()> {
        let descriptor = self.file.as_raw_fd();
        let (offset, length) = (signed(from)?, signed(to - from)?);
        // SAFETY: the call takes integers, and what it takes away from the file nobody reads (invariant 3).
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
                write!(f, "no shared memory for {bytes} bytes: {source}")
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

/// How much the last batches needed.
#[derive(Debug, Default)]
struct Recent {
    batches: u32,
    most: usize,
}

impl Recent {
    /// After so many batches memory that none of them needed goes back.
    const BATCHES: u32 = 64;
    /// Less than this is not worth giving back.
    const SPARE: usize = 1 << 20;

    fn note(&mut self, len: usize) {
        self.batches += 1;
        self.most = self.most.max(len);
    }

    /// How much to keep, when enough batches have shown that the rest is not needed.
    fn surplus(&mut self, committed: usize) -> Option<usize> {
        if self.batches < Self::BATCHES {
            return None;
        }
        let needed = std::mem::take(self).most.max(Self::SPARE);
        (committed / 2 > needed).then_some(needed)
    }
}

fn create(name: &CStr) -> io::Result<File> {
    let flags = sys::MFD_CLOEXEC | sys::MFD_ALLOW_SEALING;
    // SAFETY: `name` ends with a zero byte and outlives the call.
    let descriptor = sys::result(unsafe { sys::memfd_create(name.as_ptr(), flags) })?;
    // SAFETY: the descriptor was made by the call above and belongs to nobody else.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    Ok(File::from(descriptor))
}

/// What this process may have of a resource.
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
        Segment::with_capacity(c"test", 8 << 20).unwrap()
    }

    #[test]
    fn is_written_only_where_it_is_committed() {
        let mut segment = segment();
        assert!(segment.write(0, b"x").is_err());
        segment.commit(1).unwrap();
        segment.write(PAGE - 1, b"x").unwrap();
        assert!(segment.write(PAGE, b"x").is_err());
        assert!(segment.write(usize::MAX, b"x").is_err());
        assert!(segment.write(PAGE, b"").is_ok());
    }

    #[test]
    fn can_be_neither_shrunk_nor_grown_by_anybody() {
        let segment = segment();
        assert!(segment.file.set_len(0).is_err());
        assert!(segment.file.set_len(16 << 20).is_err());
    }

    #[test]
    fn says_how_much_it_could_not_get() {
        let error = segment().commit((8 << 20) + 1).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("no shared memory for 8388609 bytes"),
            "{error}"
        );
    }

    #[test]
    fn gives_back_what_a_single_large_batch_needed() {
        let mut segment = segment();
        segment.commit(7 << 20).unwrap();
        segment.relax();
        assert_eq!(segment.committed, 7 << 20);
        for _ in 0..2 * Recent::BATCHES {
            segment.commit(10).unwrap();
            segment.relax();
        }
        assert_eq!(segment.committed, Recent::SPARE);
        assert_eq!(blocks(&segment), Recent::SPARE);
        segment.commit(7 << 20).unwrap();
        assert_eq!(blocks(&segment), 7 << 20);
    }

    #[test]
    fn under_a_limit_a_batch_fails_and_nothing_dies() {
        const LIMITED: &str = "PYTRITON_TEST_LIMITED";
        if std::env::var_os(LIMITED).is_some() {
            let mut segment = Segment::new(c"test").unwrap();
            segment.commit(512 << 10).unwrap();
            let error = segment.commit(64 << 20).unwrap_err().to_string();
            let expected = "no shared memory for 67108864 bytes";
            assert!(error.starts_with(expected), "{error}");
            segment.write(0, b"still there").unwrap();
            return;
        }
        let test = "shm::segment::tests::under_a_limit_a_batch_fails_and_nothing_dies";
        // The size of files, and the address space: 1 GiB, of which a segment has 64 MiB less than a page.
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
