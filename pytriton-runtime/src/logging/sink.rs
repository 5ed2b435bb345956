use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// The file that has the lines in place of standard error.
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Where lines go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sink;

/// Writes lines behind those that a file has, from now on.
#[cfg(feature = "embedded")]
pub(super) fn open(path: &std::path::Path) -> io::Result<()> {
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    Ok(())
}

impl Write for Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *file {
            Some(file) => file.write(line),
            None => io::stderr().write(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
