//! Export of the spans of requests ([`pytriton_core::trace`]) and of the traces of Triton's trace
//! extension.

mod batching;
mod error;
mod export;
#[cfg(feature = "otel")]
mod exporter;
mod finished;
#[cfg(feature = "otel")]
mod otlp;
#[cfg(not(feature = "otel"))]
#[path = "noop.rs"]
mod otlp;
#[cfg(feature = "otel")]
mod recorder;
mod traces;

pub use batching::Batching;
pub use error::TracesError;
pub use export::Export;
pub use finished::{Attribute, FinishedSpan};
#[cfg(not(feature = "otel"))]
pub use otlp::Recorder;
pub use otlp::dropped_spans;
pub use pytriton_core::trace::*;
#[cfg(feature = "otel")]
pub use recorder::Recorder;
pub use traces::TracesExporter;
pub(crate) use traces::traces_exporter_parser;
