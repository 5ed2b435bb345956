use std::io;

use thiserror::Error;

/// An error that prevents a measurement.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CostError {
    /// valgrind is not installed.
    #[error("valgrind is missing, with which instructions are counted: apt-get install valgrind")]
    Missing,
    /// The C compiler failed to build the clock.
    #[error("no clock was built: {0}")]
    Compiler(String),
    /// An I/O operation failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The server did not print its address, or did not end.
    #[error("the server was not {what} in time\n{log}")]
    Late {
        /// The state that was expected.
        what: &'static str,
        /// The output of the server and of valgrind.
        log: String,
    },
    /// The response of the server was unexpected.
    #[error("expected an answer with status 200 and a length, found `{0}`")]
    Answer(String),
    /// The client failed.
    #[error("the client failed\n{0}")]
    Client(String),
    /// The output of callgrind contains no instructions, or no call of a known allocation function.
    #[error("callgrind has counted no instructions, or no calls of `malloc` and its like")]
    Uncounted,
}

/// The result of a measurement.
pub type Result<T> = std::result::Result<T, CostError>;
