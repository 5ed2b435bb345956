use clap::builder::TypedValueParser;
use tracing_subscriber::Registry;

use crate::arguments::named;

use super::TracesError;
use super::export::{BoxedLayer, Export};
use super::otlp::export;

/// The exporter of spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TracesExporter {
    /// No export.
    #[default]
    None,
    /// To a collector, over HTTP as protobuf.
    Otlp,
}

/// Returns the parser of the option for the exporter.
pub(crate) fn traces_exporter_parser() -> impl TypedValueParser<Value = TracesExporter> {
    named(&[
        ("none", "No export", TracesExporter::None),
        (
            "otlp",
            "To a collector, over HTTP as protobuf",
            TracesExporter::Otlp,
        ),
    ])
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
