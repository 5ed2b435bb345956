use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::{Errno, pread, pwrite, retry_on_intr};
use rustix::param::page_size;

use crate::tensor::AlignedBuffer;
use crate::text::excerpt;

use super::SharedMemoryError;
use super::key::file_name;

/// The directory that `shm_open` uses.
const FOLDER: &str = "/dev/shm";

/// A registered region.
#[derive(Debug)]
pub struct Region {
    name: Arc<str>,
    key: String,
    file: File,
    offset: u64,
    byte_size: u64,
}

impl Region {
    /// Opens the memory with this key. The region has `byte_size` bytes from `offset`.
    pub(super) fn open(
        name: &str,
        key: &str,
        offset: u64,
        byte_size: u64,
    ) -> Result<Self, SharedMemoryError> {
        let path = Path::new(FOLDER).join(file_name(name, key)?);
        // Do not follow links, and do not open files whose opening blocks or has side effects.
        let flags =
            OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = open(path, flags, Mode::empty()).and_then(|file| {
            let stat = fstat(&file)?;
            Ok((File::from(file), stat))
        });
        let (file, stat) = match opened {
            Ok((file, stat)) if FileType::from_raw_mode(stat.st_mode).is_file() => (file, stat),
            _ => return Err(SharedMemoryError::Open { key: excerpt(key) }),
        };
        let address_space = || SharedMemoryError::AddressSpace {
            name: excerpt(name),
        };
        let end = offset.checked_add(byte_size).ok_or_else(address_space)?;
        if end > u64::try_from(stat.st_size).unwrap_or(0) {
            return Err(SharedMemoryError::Bounds {
                name: excerpt(name),
            });
        }
        if byte_size == 0 || !offset.is_multiple_of(page_size() as u64) {
            return Err(address_space());
        }
        Ok(Self {
            name: name.into(),
            key: key.to_owned(),
            file,
            offset,
            byte_size,
        })
    }

    /// Returns the name of the region.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key of its memory.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the offset in its memory.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the size in bytes.
    pub fn byte_size(&self) -> u64 {
        self.byte_size
    }

    /// Copies bytes that lie within the region.
    pub(super) fn read(&self, at: u64, length: usize) -> Result<Bytes, SharedMemoryError> {
        let from = self.offset.saturating_add(at);
        self.check_size(from, length)?;
        let mut buffer = AlignedBuffer::with_capacity(length, 0);
        let read = buffer.fill(length, |bytes, filled| {
            let at = from.saturating_add(filled as u64);
            retry_on_intr(|| pread(&self.file, spare_capacity(bytes), at))
        });
        let found = read.map_err(|error| self.access(error))?;
        if found < length {
            return Err(self.shrunk(from, length, found as u64));
        }
        Ok(buffer.freeze())
    }

    /// Writes bytes to a section within the region.
    pub(super) fn write(&self, at: u64, mut bytes: &[u8]) -> Result<(), SharedMemoryError> {
        let mut from = self.offset.saturating_add(at);
        // A write to shrunken memory would enlarge it.
        self.check_size(from, bytes.len())?;
        while !bytes.is_empty() {
            let written = retry_on_intr(|| pwrite(&self.file, bytes, from));
            match written.map_err(|error| self.access(error))? {
                0 => return Err(self.access(Errno::IO)),
                written => {
                    bytes = bytes.get(written..).unwrap_or_default();
                    from = from.saturating_add(written as u64);
                }
            }
        }
        Ok(())
    }

    /// Checks that the bytes still exist.
    pub(super) fn check(&self, at: u64, length: usize) -> Result<(), SharedMemoryError> {
        self.check_size(self.offset.saturating_add(at), length)
    }

    fn check_size(&self, from: u64, length: usize) -> Result<(), SharedMemoryError> {
        let stat = fstat(&self.file).map_err(|error| self.access(error))?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        match size.checked_sub(from) {
            Some(found) if found >= length as u64 => Ok(()),
            found => Err(self.shrunk(from, length, found.unwrap_or(0))),
        }
    }

    fn shrunk(&self, offset: u64, expected: usize, found: u64) -> SharedMemoryError {
        SharedMemoryError::Shrunk {
            name: excerpt(&self.name).into(),
            offset,
            expected,
            found,
        }
    }

    fn access(&self, error: Errno) -> SharedMemoryError {
        SharedMemoryError::Access {
            name: excerpt(&self.name).into(),
            message: error.to_string(),
        }
    }
}
