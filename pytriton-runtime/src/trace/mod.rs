//! Export of the spans of requests ([`pytriton_core::trace`]) and of the traces of Triton's trace
//! extension.

#[cfg(any(feature = "otel", feature = "embedded"))]
mod batching;
#[cfg(feature = "otel")]
mod exporter;
#[cfg(feature = "embedded")]
mod finished;
#[cfg(feature = "otel")]
mod otlp;
#[cfg(not(feature = "otel"))]
#[path = "noop.rs"]
mod otlp;
#[cfg(all(feature = "otel", feature = "embedded"))]
mod recorder;
mod traces;

#[cfg(any(feature = "otel", feature = "embedded"))]
pub(crate) use batching::Batching;
#[cfg(feature = "embedded")]
pub(crate) use finished::{Attribute, FinishedSpan};
#[cfg(all(feature = "embedded", not(feature = "otel")))]
pub(crate) use otlp::Recorder;
#[cfg(feature = "embedded")]
pub(crate) use otlp::dropped_spans;
pub(crate) use pytriton_core::trace::*;
#[cfg(all(feature = "embedded", feature = "otel"))]
pub(crate) use recorder::Recorder;
pub(crate) use traces::Export;
pub use traces::{TracesError, TracesExporter};
