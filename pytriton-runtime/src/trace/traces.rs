use clap::ValueEnum;
use thiserror::Error;
use tracing_subscriber::{Layer, Registry};

use super::otlp::export;

/// Where spans go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TracesExporter {
    /// Nowhere.
    #[default]
    None,
    /// To a collector, over HTTP as protobuf.
    Otlp,
}

/// Why spans cannot go where they should.
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

/// A layer of any kind.
pub(super) type BoxedLayer<S> = Box<dyn Layer<S> + Send + Sync>;

/// Spans that are being exported; when it is dropped those are sent that have not been.
#[derive(Debug, Default)]
pub(crate) struct Export {
    #[cfg(feature = "otel")]
    pub(super) provider: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

impl TracesExporter {
    /// What hears spans, and keeps them for the exporter; `None` where they go nowhere.
    pub(crate) fn layer(self) -> Result<Option<(BoxedLayer<Registry>, Export)>, TracesError> {
        match self {
            Self::None => Ok(None),
            Self::Otlp => export().map(Some),
        }
    }
}
