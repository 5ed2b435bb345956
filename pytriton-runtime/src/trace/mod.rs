//! What can be seen of a request: spans of `tracing` for the request, its waiting, the batch that it is executed in and the
//! call of the function, in which the user's own spans stand; and the trace of the client that it belongs to.
//!
//! Where nobody listens to the first of them there are none, and a request has nothing but a `None`. Log lines that say which
//! requests they are about need no spans: a thread knows what it is working on.

mod about;
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
mod scope;
mod spans;
mod traces;

pub(crate) use about::{About, current, tell};
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
pub(crate) use scope::Scope;
#[cfg(feature = "embedded")]
pub(crate) use spans::listened;
#[cfg(any(feature = "embedded", test))]
pub(crate) use spans::scope_of;
pub(crate) use spans::{TARGET, Trace, batch, function, identified};
pub(crate) use traces::Export;
pub use traces::{TracesError, TracesExporter};
