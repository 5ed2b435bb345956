/// A location in the user's source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// The crate; empty if it is unknown.
    pub package: &'static str,
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

impl Location {
    /// The location of the caller, in that crate.
    #[track_caller]
    pub const fn here(package: &'static str) -> Self {
        let caller = std::panic::Location::caller();
        Self {
            package,
            file: caller.file(),
            line: caller.line(),
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            package,
            file,
            line,
        } = self;
        match package.is_empty() {
            true => write!(f, "{file}:{line}"),
            false => write!(f, "{file}:{line} (crate `{package}`)"),
        }
    }
}
