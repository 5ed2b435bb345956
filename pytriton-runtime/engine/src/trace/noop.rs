//! Replaces `otlp.rs` and `recorder.rs` if the feature `otel` is disabled.

use tracing_subscriber::Registry;

use super::export::{BoxedLayer, Export};
use super::{Batching, FinishedSpan, TraceContext, TracesError};

/// Uninhabited.
#[derive(Debug)]

pub enum Recorder {}
impl Recorder {
    /// Returns [`TracesError::Absent`].
    ///
    /// # Errors
    ///
    /// Always.
    pub fn start(
        _: Option<&str>,
        _: &[(String, String)],
        _: Batching,
    ) -> Result<Self, TracesError> {
        Err(TracesError::Absent)
    }

    /// Cannot be called.
    pub fn record(&self, _: Vec<FinishedSpan>, _: Option<&TraceContext>) {
        match *self {}
    }

    /// Cannot be called.
    pub fn flush(&self) {
        match *self {}
    }
}

/// Returns the number of dropped spans; `None` because none are exported.
pub fn dropped_spans() -> Option<u64> {
    None
}

pub(super) fn export() -> Result<(BoxedLayer<Registry>, Export), TracesError> {
    Err(TracesError::Absent)
}

#[cfg(test)]
mod tests {
    use crate::trace::TracesExporter;

    #[test]
    fn requesting_a_missing_exporter_is_an_error() {
        assert!(TracesExporter::None.layer().unwrap().is_none());
        let error = TracesExporter::Otlp.layer().err().unwrap();
        assert!(error.to_string().contains("the feature `otel`"), "{error}");
    }
}
