use std::fmt;

/// The bytes are not a valid description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolError {
    /// They end too early.
    Short,
    /// A number is out of range.
    Number,
    /// A string is not UTF-8.
    Text,
    /// They refer to bytes outside the segment.
    Bounds,
    /// They have another version of the protocol.
    Version,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "a message between tritonserver and its worker ends too early",
            Self::Number => "a number between tritonserver and its worker cannot be",
            Self::Text => "a text between tritonserver and its worker is none",
            Self::Bounds => "a tensor between tritonserver and its worker lies outside its segment",
            Self::Version => "tritonserver's backend and the worker are of different versions",
        })
    }
}

impl std::error::Error for ProtocolError {}
