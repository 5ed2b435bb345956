/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Human-readable.
    Human,
    /// Triton's format of the same name.
    Iso8601,
    /// One JSON object per line.
    Json,
}
