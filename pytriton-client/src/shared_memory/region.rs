use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::ptr::addr_eq;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use pytriton_protocol::tensor::AlignedBuffer;
use rustix::buffer::spare_capacity;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{pread, retry_on_intr};

use super::reservation::Reservation;
use super::{Location, RegionServer};

/// The folder that `shm_open` uses.
pub(super) const FOLDER: &str = "/dev/shm";

/// The prefix of the names of all clients' regions.
pub(super) const PREFIX: &str = "pytriton-shared-";

/// Shared memory of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Region {
    name: String,
    path: PathBuf,
    file: File,
    reservation: Reservation,
    /// The servers at which the region is registered.
    registered: Mutex<Vec<Arc<dyn RegionServer>>>,
}

impl Region {
    /// Creates a region. Its memory is allocated immediately: a server would be killed if it wrote
    /// to memory that the machine does not have.
    pub(super) fn new(reservation: Reservation) -> io::Result<Self> {
        let (name, file) = locked()?;
        let path = Path::new(FOLDER).join(&name);
        let region = Self {
            name,
            path,
            file,
            reservation,
            registered: Mutex::default(),
        };
        region.allocate()?;
        Ok(region)
    }

    #[cfg(target_os = "linux")]
    fn allocate(&self) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        let allocate = || {
            fallocate(
                &self.file,
                FallocateFlags::empty(),
                0,
                self.capacity() as u64,
            )
        };
        retry_on_intr(allocate).map_err(io::Error::from)
    }

    #[cfg(not(target_os = "linux"))]
    fn allocate(&self) -> io::Result<()> {
        self.file.set_len(self.capacity() as u64)
    }

    /// Returns the name in requests.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key for `shm_open`.
    pub(crate) fn key(&self) -> String {
        format!("/{}", self.name)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.reservation.bytes()
    }

    pub(super) fn write(&self, location: Location, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, location.offset as u64)
    }

    /// Returns a copy of the bytes, aligned for every element type.
    pub(super) fn read(&self, location: Location) -> io::Result<Bytes> {
        let mut buffer = AlignedBuffer::with_capacity(location.len, 0);
        let read = buffer.fill(location.len, |bytes, filled| {
            let at = (location.offset + filled) as u64;
            retry_on_intr(|| pread(&self.file, spare_capacity(bytes), at))
        })?;
        match read == location.len {
            true => Ok(buffer.freeze()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Returns whether the region is registered at the server.
    pub(crate) fn is_registered(&self, server: &Arc<impl RegionServer + ?Sized>) -> bool {
        self.registered()
            .iter()
            .any(|other| addr_eq(Arc::as_ptr(other), Arc::as_ptr(server)))
    }

    pub(crate) fn note(&self, server: Arc<dyn RegionServer>) {
        self.registered().push(server);
    }

    pub(crate) fn forget(&self, server: &Arc<impl RegionServer + ?Sized>) {
        self.registered()
            .retain(|other| !addr_eq(Arc::as_ptr(other), Arc::as_ptr(server)));
    }

    /// All servers at which the region is registered.
    pub(super) fn servers(&self) -> Vec<Arc<dyn RegionServer>> {
        self.registered().clone()
    }

    fn registered(&self) -> MutexGuard<'_, Vec<Arc<dyn RegionServer>>> {
        self.registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a file that is locked as long as this process lives, so that no other client removes it.
fn locked() -> io::Result<(String, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Processes in containers that share the folder may have the same process ID.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let moment = now.map_or(0, |now| now.subsec_nanos());
        let name = format!("{PREFIX}{}-{moment:x}-{number}", process::id());
        let file = options.open(Path::new(FOLDER).join(&name))?;
        retry_on_intr(|| flock(&file, FlockOperation::LockShared))?;
        // Without a link, another client has removed the file before it was locked.
        if file.metadata()?.nlink() > 0 {
            return Ok((name, file));
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn reservation(bytes: &Arc<AtomicUsize>, capacity: usize) -> Reservation {
        Reservation::new(bytes, capacity, usize::MAX).unwrap()
    }

    #[test]
    fn region_round_trips_and_is_removed() {
        let region = Region::new(reservation(&Arc::default(), 1 << 20)).unwrap();
        let location = |offset, len| Location { offset, len };
        let bytes = vec![7; 300_000];
        region.write(location(64, bytes.len()), &bytes).unwrap();
        assert_eq!(region.read(location(64, bytes.len())).unwrap(), bytes);
        assert_eq!(region.read(location(0, 64)).unwrap(), [0; 64][..]);
        assert!(region.read(location((1 << 20) - 1, 2)).is_err());
        let path = region.path.clone();
        assert!(path.exists());
        drop(region);
        assert!(!path.exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn reading_too_much_consumes_everything() {
        let bytes = Arc::default();
        Region::new(reservation(&bytes, 1 << 50)).unwrap_err();
        assert_eq!(bytes.load(Ordering::Relaxed), 0);
    }
}
