use clap::ValueEnum;
use thiserror::Error;
use tracing_subscriber::{Layer, Registry};

use super::otlp::export;

/// The exporter of spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TracesExporter {
    /// No export.
    #[default]
    None,
    /// To a collector, over HTTP as protobuf.
    Otlp,
}

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

/// A boxed layer.
pub(super) type BoxedLayer<S> = Box<dyn Layer<S> + Send + Sync>;

/// An active export. Dropping it sends the remaining spans.
#[derive(Debug, Default)]
pub struct Export {
    #[cfg(feature = "otel")]
    pub(super) provider: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

impl TracesExporter {
    /// Returns the layer that records spans and the export; `None` if spans are not exported.
    pub(crate) fn layer(self) -> Result<Option<(BoxedLayer<Registry>, Export)>, TracesError> {
        match self {
            Self::None => Ok(None),
            Self::Otlp => export().map(Some),
        }
    }
}
