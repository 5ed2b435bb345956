use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::writer::Place;

/// The file that is named, and those that are numbered after it.
#[derive(Debug)]
pub(super) struct TraceFile {
    path: PathBuf,
    whole: Option<File>,
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

    /// Writes records, so that the file is a whole array behind each call.
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
        if let Some(file) = &mut self.whole {
            // Behind all but the bracket.
            file.seek(SeekFrom::End(-1))?;
            return file.write_all(format!(",{records}]").as_bytes());
        }
        let mut options = OpenOptions::new();
        let options = options.create(true).write(true).truncate(true);
        let mut file = options.open(&self.path)?;
        file.write_all(format!("[{records}]").as_bytes())?;
        self.whole = Some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_arrays_at_any_time() {
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
    }
}
