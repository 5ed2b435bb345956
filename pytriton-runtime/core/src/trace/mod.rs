//! Observability of requests: `tracing` spans for the request, its queue time, its batch and its
//! function call, which contains the user's own spans; and the client's trace.
//!
//! If no subscriber is interested in the first span, none are created and a request stores only a
//! `None`. Log lines that name their requests need no spans: each thread knows what it is working
//! on.

mod context;
mod log_context;
#[cfg(feature = "otel")]
mod parent;
#[cfg(not(feature = "otel"))]
#[path = "no_parent.rs"]
mod parent;
mod scope;
mod spans;

pub use context::{TRACEPARENT, TRACESTATE, TraceContext};
pub use log_context::{LogContext, current, enable_log_context};
#[cfg(feature = "otel")]
pub use parent::parent;
pub use scope::Scope;
pub use spans::{TARGET, Trace, batch, function, identified, listened, scope_of};
