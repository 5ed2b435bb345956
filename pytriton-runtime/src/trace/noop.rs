//! Replaces `otlp.rs` and `recorder.rs` if the feature `otel` is disabled.

use tracing_subscriber::Registry;

use super::traces::{BoxedLayer, Export, TracesError};
#[cfg(feature = "embedded")]
use super::{Batching, FinishedSpan, TraceContext};

/// Uninhabited.
#[cfg(feature = "embedded")]
#[derive(Debug)]
pub(crate) enum Recorder {}

#[cfg(feature = "embedded")]
impl Recorder {
    pub(crate) fn start(
        _: Option<&str>,
        _: &[(String, String)],
        _: Batching,
    ) -> Result<Self, TracesError> {
        Err(TracesError::Absent)
    }

    pub(crate) fn record(&self, _: Vec<FinishedSpan>, _: Option<&TraceContext>) {
        match *self {}
    }

    pub(crate) fn flush(&self) {
        match *self {}
    }
}

/// Returns the number of dropped spans; `None` because none are exported.
#[cfg(feature = "embedded")]
pub(crate) fn dropped_spans() -> Option<u64> {
    None
}

pub(super) fn export() -> Result<(BoxedLayer<Registry>, Export), TracesError> {
    Err(TracesError::Absent)
}

#[cfg(test)]
mod tests {
    use crate::TracesExporter;

    #[test]
    fn a_requested_exporter_is_required() {
        assert!(TracesExporter::None.layer().unwrap().is_none());
        let error = TracesExporter::Otlp.layer().err().unwrap();
        assert!(error.to_string().contains("the feature `otel`"), "{error}");
    }
}
