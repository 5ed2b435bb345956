use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::log_line::LogLine;
use super::output::LastLines;

/// How much of the end of the file is read.
const MAX_READ_BYTES: u64 = 64 << 10;

/// The file to which a tritonserver writes its log lines (`--log-file`). They are not part of its
/// output.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    /// The size of the file before the start of the process.
    start: u64,
}

impl LogFile {
    /// Creates the log file of a process that is not started yet. Lines that the file already
    /// contains are ignored.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            start: fs::metadata(path).map_or(0, |file| file.len()),
        }
    }

    /// Returns the last error lines of the process, oldest first.
    pub(super) fn last_errors(&self) -> Vec<String> {
        // A file that cannot be read has no lines.
        let end = self.end().unwrap_or_default();
        let mut last = LastLines::default();
        for line in String::from_utf8_lossy(&end).lines() {
            last.record(&LogLine::parse(line));
        }
        last.into_errors()
    }

    fn end(&self) -> io::Result<Vec<u8>> {
        let file = fs::metadata(&self.path)?;
        // A device or a pipe cannot be read again.
        if !file.is_file() {
            return Ok(Vec::new());
        }
        // A file that has been truncated since then contains only new lines.
        let begin = Some(self.start).filter(|start| *start <= file.len());
        let last = file.len().saturating_sub(MAX_READ_BYTES);
        let start = begin.unwrap_or(0).max(last);
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::new();
        file.take(MAX_READ_BYTES).read_to_end(&mut end)?;
        Ok(end)
    }
}
