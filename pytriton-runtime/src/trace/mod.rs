//! What can be seen of a request: spans of `tracing` for the request, its waiting, the batch that it is executed in and the
//! call of the function, in which the user's own spans stand; and the trace of the client that it belongs to.
//!
//! Where nobody listens to the first of them there are none, and a request has nothing but a `None`.

#[cfg(any(feature = "otel", feature = "embedded"))]
mod batching;
mod context;
#[cfg(feature = "otel")]
mod exporter;
#[cfg(feature = "embedded")]
mod finished;
#[cfg(feature = "otel")]
mod otlp;
#[cfg(not(feature = "otel"))]
#[path = "absent.rs"]
mod otlp;
#[cfg(all(feature = "otel", feature = "embedded"))]
mod recorder;
mod spans;
mod traces;

#[cfg(any(feature = "otel", feature = "embedded"))]
pub(crate) use batching::Batching;
pub(crate) use context::{TRACEPARENT, TRACESTATE, TraceContext};
#[cfg(feature = "embedded")]
pub(crate) use finished::{Attribute, FinishedSpan};
#[cfg(all(feature = "embedded", not(feature = "otel")))]
pub(crate) use otlp::Recorder;
#[cfg(feature = "embedded")]
pub(crate) use otlp::dropped_spans;
#[cfg(all(feature = "embedded", feature = "otel"))]
pub(crate) use recorder::Recorder;
#[cfg(feature = "embedded")]
pub(crate) use spans::listened;
#[cfg(any(feature = "embedded", test))]
pub(crate) use spans::span_of;
pub(crate) use spans::{TARGET, Trace, batch, fail, function, identified};
pub(crate) use traces::Export;
pub use traces::{TracesError, TracesExporter};
