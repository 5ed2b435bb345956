use std::fmt;
use std::io;

use crate::shm::SegmentError;
use crate::wire::WireError;

/// Why a batch could not be handed over.
#[derive(Debug)]
pub enum ChannelError {
    /// The other process has closed its end, or is gone.
    HungUp,
    /// The socket failed.
    Io(io::Error),
    /// There is no shared memory.
    Memory(SegmentError),
    /// The other side sent what the protocol does not know.
    Protocol(WireError),
    /// The worker takes no guest, in its own words.
    Refused(String),
}

impl fmt::Display for ChannelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HungUp => f.write_str("the process that runs the model is gone"),
            Self::Io(error) => write!(f, "the process that runs the model is not reached: {error}"),
            Self::Memory(error) => error.fmt(f),
            Self::Protocol(error) => error.fmt(f),
            Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for ChannelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Memory(error) => Some(error),
            Self::Protocol(error) => Some(error),
            Self::HungUp | Self::Refused(_) => None,
        }
    }
}

impl From<io::Error> for ChannelError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SegmentError> for ChannelError {
    fn from(error: SegmentError) -> Self {
        Self::Memory(error)
    }
}

impl From<WireError> for ChannelError {
    fn from(error: WireError) -> Self {
        Self::Protocol(error)
    }
}
