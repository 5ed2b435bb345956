//! Observability of requests: `tracing` spans for the request, its queue time, its batch and its
//! function call, which contains the user's own spans; and the client's trace.
//!
//! If no subscriber is interested in the first span, none are created and a request stores only a
//! `None`. Log lines that name their requests need no spans: each thread knows what it is working
//! on.

#[cfg(any(feature = "otel", feature = "embedded"))]
mod batching;
mod context;
#[cfg(feature = "otel")]
mod exporter;
#[cfg(feature = "embedded")]
mod finished;
mod log_context;
#[cfg(feature = "otel")]
mod otlp;
#[cfg(not(feature = "otel"))]
#[path = "noop.rs"]
mod otlp;
#[cfg(all(feature = "otel", feature = "embedded"))]
mod recorder;
mod scope;
mod spans;
mod traces;

#[cfg(any(feature = "otel", feature = "embedded"))]
pub(crate) use batching::Batching;
pub(crate) use context::{TRACEPARENT, TRACESTATE, TraceContext};
#[cfg(feature = "embedded")]
pub(crate) use finished::{Attribute, FinishedSpan};
pub(crate) use log_context::{LogContext, current, enable_log_context};
#[cfg(all(feature = "embedded", not(feature = "otel")))]
pub(crate) use otlp::Recorder;
#[cfg(feature = "embedded")]
pub(crate) use otlp::dropped_spans;
#[cfg(all(feature = "embedded", feature = "otel"))]
pub(crate) use recorder::Recorder;
pub(crate) use scope::Scope;
#[cfg(feature = "embedded")]
pub(crate) use spans::listened;
#[cfg(any(feature = "embedded", test))]
pub(crate) use spans::scope_of;
pub(crate) use spans::{TARGET, Trace, batch, function, identified};
pub(crate) use traces::Export;
pub use traces::{TracesError, TracesExporter};
