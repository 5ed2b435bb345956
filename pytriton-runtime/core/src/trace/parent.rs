//! Parents of spans that OpenTelemetry exports.

use std::str::FromStr;

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::TraceContext;

/// Makes a span a child of the client's span.
pub(super) fn set_parent(span: &Span, context: &TraceContext) {
    // Fails if no OpenTelemetry layer is installed.
    let _ = span.set_parent(parent(context));
}

/// Returns the client's span as a parent context.
pub fn parent(context: &TraceContext) -> Context {
    Context::new().with_remote_span_context(SpanContext::new(
        TraceId::from(context.trace_id),
        SpanId::from(context.parent),
        TraceFlags::new(context.flags),
        true,
        TraceState::from_str(&context.state).unwrap_or_default(),
    ))
}

/// Returns the trace id of a span.
pub(super) fn trace_id(span: &Span) -> Option<u128> {
    let context = span.context();
    let id = context.span().span_context().trace_id();
    (id != TraceId::INVALID).then(|| u128::from_be_bytes(id.to_bytes()))
}
