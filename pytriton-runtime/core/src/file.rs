//! Files that are read as a whole.

use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::Path;

/// Returns the contents of a regular file of at most `max_bytes` bytes.
///
/// # Errors
///
/// Returns the error of the system, or an error if the path is not a regular file or the file is
/// larger.
pub fn read_limited(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Reading something other than a regular file might block for ever.
    let found = metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(io::Error::other(format!(
            "it is larger than {max_bytes} bytes"
        ))),
        false => Ok(bytes),
    }
}
