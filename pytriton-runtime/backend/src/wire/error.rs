use std::fmt;

/// Why bytes are no description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// They end too early.
    Short,
    /// A number that cannot be.
    Number,
    /// A text that is none.
    Text,
    /// Bytes outside the segment.
    Bounds,
    /// Another version of the protocol.
    Version,
}

impl fmt::Display for WireError {
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

impl std::error::Error for WireError {}
