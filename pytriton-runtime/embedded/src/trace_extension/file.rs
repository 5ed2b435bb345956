use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::writer::Place;

/// The trace file and its numbered successors.
#[derive(Debug)]
pub(super) struct TraceFile {
    path: PathBuf,
    /// The file with the complete array, and its length.
    whole: Option<(File, u64)>,
    next: u32,
}

impl TraceFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            whole: None,
            next: 0,
        }
    }

    /// Writes records. After each call the file is a complete JSON array.
    pub(super) fn write(&mut self, records: &str, place: Place) -> io::Result<()> {
        match place {
            Place::Next => {
                let mut name = self.path.clone().into_os_string();
                name.push(format!(".{}", self.next));
                self.next += 1;
                std::fs::write(name, format!("[{records}]"))
            }
            Place::Whole => self.append(records),
        }
    }

    fn append(&mut self, records: &str) -> io::Result<()> {
        if let Some((file, length)) = &mut self.whole {
            let text = format!(",{records}]");
            let written = replace_end(file, *length, &text);
            match written {
                Ok(()) => *length += text.len() as u64 - 1,
                // Restores the array without the records.
                Err(_) => replace_end(file, *length, "]")?,
            }
            return written;
        }
        let mut options = OpenOptions::new();
        let options = options.create(true).write(true).truncate(true);
        let mut file = options.open(&self.path)?;
        let text = format!("[{records}]");
        file.write_all(text.as_bytes())?;
        self.whole = Some((file, text.len() as u64));
        Ok(())
    }
}

/// Overwrites the closing bracket of an array of this length, and truncates the file after the new
/// text.
fn replace_end(file: &mut File, length: u64, text: &str) -> io::Result<()> {
    let at = length - 1;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(text.as_bytes())?;
    file.set_len(at + text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_a_valid_array_after_each_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let mut file = TraceFile::new(path);
        file.write("{\"id\":1}", Place::Whole).unwrap();
        assert_eq!(read("trace.json"), "[{\"id\":1}]");
        file.write("{\"id\":2}", Place::Next).unwrap();
        file.write("{\"id\":3},{\"id\":3}", Place::Whole).unwrap();
        file.write("{\"id\":4}", Place::Next).unwrap();
        assert_eq!(read("trace.json"), "[{\"id\":1},{\"id\":3},{\"id\":3}]");
        assert_eq!(read("trace.json.0"), "[{\"id\":2}]");
        assert_eq!(read("trace.json.1"), "[{\"id\":4}]");
        // A partial record, as on a full disk.
        let mut options = OpenOptions::new();
        let partial = options.append(true).open(folder.path().join("trace.json"));
        partial.unwrap().write_all(b",{\"id\":5").unwrap();
        file.write("{}", Place::Whole).unwrap();
        let expected = "[{\"id\":1},{\"id\":3},{\"id\":3},{}]";
        assert_eq!(read("trace.json"), expected);
    }
}
