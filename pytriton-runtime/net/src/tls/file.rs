use std::fmt;
use std::path::PathBuf;

/// A file, and the name under which the user knows it; errors mention both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFile {
    /// The name, such as the option that contains the path.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

impl fmt::Display for TlsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.path.display())
    }
}
