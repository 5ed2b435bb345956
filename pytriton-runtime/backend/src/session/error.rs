use std::fmt;
use std::io;

use crate::protocol::ProtocolError;
use crate::ring::{Broken, Closed};
use crate::shm::SegmentError;

/// An error of a session.
#[derive(Debug)]
pub enum SessionError {
    /// The peer has closed its end or is gone, or this process has ended the session.
    Closed,
    /// The worker's instances cannot serve now.
    Unavailable,
    /// The socket failed.
    Io(io::Error),
    /// There is not enough shared memory.
    Memory(SegmentError),
    /// The peer has violated the protocol.
    Protocol(ProtocolError),
    /// The thread that reads the worker's responses has ended before its session, which is a bug.
    ReaderEnded,
    /// The worker refuses the session, for the given reason.
    Refused(String),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the process that runs the model has ended"),
            Self::Unavailable => f.write_str("no instance of the model is available"),
            Self::Io(error) => write!(f, "cannot reach the process that runs the model: {error}"),
            Self::Memory(error) => error.fmt(f),
            Self::Protocol(error) => error.fmt(f),
            Self::ReaderEnded => {
                f.write_str("the thread that reads the model's responses has ended")
            }
            Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Memory(error) => Some(error),
            Self::Protocol(error) => Some(error),
            Self::Closed | Self::Unavailable | Self::ReaderEnded | Self::Refused(_) => None,
        }
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SegmentError> for SessionError {
    fn from(error: SegmentError) -> Self {
        Self::Memory(error)
    }
}

impl From<ProtocolError> for SessionError {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl From<Broken> for SessionError {
    fn from(Broken: Broken) -> Self {
        Self::Protocol(ProtocolError::Number)
    }
}

impl From<Closed> for SessionError {
    fn from(Closed: Closed) -> Self {
        Self::Closed
    }
}
