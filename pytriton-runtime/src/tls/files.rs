use std::fmt;
use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::TlsError;

/// No file of certificates is larger: all that a system trusts is a quarter of it.
const MOST: u64 = 1 << 20;

/// Where the certificate of a port is, its key, and what certificates of clients are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those that it is signed with, in PEM form.
    pub certificate: TlsFile,
    /// Its private key, in PEM form.
    pub key: TlsFile,
    /// What certificates of clients are signed with, in PEM form; `None` where clients need none.
    pub roots: Option<TlsFile>,
}

/// A file that an option names, and is told of with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFile {
    /// The option, with its dashes.
    pub option: String,
    /// The file.
    pub path: PathBuf,
}

impl fmt::Display for TlsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.option, self.path.display())
    }
}

/// What stood in the files. It has a key, and no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) certificate: Vec<u8>,
    pub(super) key: Vec<u8>,
    pub(super) roots: Option<Vec<u8>>,
}

impl TlsFiles {
    pub(super) fn read(&self) -> Result<Contents, TlsError> {
        Ok(Contents {
            certificate: read(&self.certificate)?,
            key: read(&self.key)?,
            roots: self.roots.as_ref().map(read).transpose()?,
        })
    }
}

fn read(file: &TlsFile) -> Result<Vec<u8>, TlsError> {
    bytes(&file.path, MOST).map_err(|source| TlsError::Read {
        file: file.clone(),
        source,
    })
}

/// The bytes of a file that has no more of them than that.
pub(crate) fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Whatever is no file might never end, or not even begin.
    let found = metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}
