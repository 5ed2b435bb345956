use thiserror::Error;

/// Spans cannot be exported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TracesError {
    /// This binary has no exporter.
    #[error("this binary cannot export spans: it is built without the feature `otel` of pytriton")]
    Absent,
    /// The exporter does not start.
    #[error("{0}")]
    Exporter(String),
}
