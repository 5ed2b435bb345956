use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use pytriton_tests::Result;

use crate::http;

/// A system shared memory region of a tritonserver. Its file is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Region {
    name: String,
    path: PathBuf,
    file: File,
    len: u64,
}

impl Region {
    /// Creates a file of zeros, and registers it as a region.
    pub(crate) fn register(address: &str, len: u64) -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pytriton-test-{}-{number}", process::id());
        let path = Path::new("/dev/shm").join(&name);
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        let region = Self {
            name,
            path,
            file,
            len,
        };
        region.file.set_len(len)?;
        region.register_again(address)?;
        Ok(region)
    }

    /// Registers the region with another server, or with a restarted one.
    pub(crate) fn register_again(&self, address: &str) -> Result<()> {
        let Self { name, len, .. } = self;
        let body = format!(r#"{{"key":"/{name}","offset":0,"byte_size":{len}}}"#);
        let path = format!("/v2/systemsharedmemory/region/{name}/register");
        let answer = http::post(address, &path, "X: x", body.as_bytes())?;
        let already = answer.body.contains("already in manager");
        assert!(answer.status == 200 || already, "{answer:?}");
        Ok(())
    }

    /// Returns the name under which it is registered.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the number at its start.
    pub(crate) fn number(&self) -> Result<i64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(i64::from_le_bytes(bytes))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // The file may be removed already.
        let _ = fs::remove_file(&self.path);
    }
}
