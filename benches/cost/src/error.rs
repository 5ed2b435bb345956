use std::io;

use thiserror::Error;

/// Why a cost could not be counted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CostError {
    /// There is no valgrind.
    #[error("valgrind is missing, with which instructions are counted: apt-get install valgrind")]
    Missing,
    /// The C compiler has not made the clock.
    #[error("no clock was built: {0}")]
    Compiler(String),
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The server has not said where it is, or has not ended.
    #[error("the server was not {what} in time\n{log}")]
    Late {
        /// What it should have been.
        what: &'static str,
        /// What it and valgrind wrote.
        log: String,
    },
    /// The server answered something else than was expected.
    #[error("expected an answer with status 200 and a length, found `{0}`")]
    Answer(String),
    /// A client has failed.
    #[error("the client failed\n{0}")]
    Client(String),
    /// What callgrind wrote has no instructions, or no call of an allocator that is known.
    #[error("callgrind has counted no instructions, or no calls of `malloc` and its like")]
    Uncounted,
}

/// A result of counting.
pub type Result<T> = std::result::Result<T, CostError>;
