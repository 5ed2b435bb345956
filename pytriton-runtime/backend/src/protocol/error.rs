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
            Self::Short => "a message between tritonserver and its worker is truncated",
            Self::Number => "a message between tritonserver and its worker contains an invalid number",
            Self::Text => "a message between tritonserver and its worker contains a string that is not UTF-8",
            Self::Bounds => "a message between tritonserver and its worker refers to a tensor outside its segment",
            Self::Version => "tritonserver's backend and the worker have different versions",
        })
    }
}

impl std::error::Error for ProtocolError {}
