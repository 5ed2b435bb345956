use axum::http::HeaderValue;
use axum::http::{HeaderMap, HeaderName};
use pytriton_core::model::ModelSpec;
use pytriton_engine::trace::{TRACEPARENT, TRACESTATE, Trace, TraceContext};

static PARENT: HeaderName = HeaderName::from_static(TRACEPARENT);
static STATE: HeaderName = HeaderName::from_static(TRACESTATE);

/// Returns the spans of a request with these headers, if tracing is enabled.
pub(super) fn traced(model: &ModelSpec, headers: &HeaderMap) -> Option<Box<Trace>> {
    Trace::begin(model, || context(headers))
}

/// Returns the trace context in the headers, if any.
pub(super) fn context(headers: &HeaderMap) -> Option<TraceContext> {
    let values = |name: &HeaderName| {
        let values = headers.get_all(name).iter();
        values.filter_map(|value| value.to_str().ok())
    };
    TraceContext::read(values(&PARENT), || values(&STATE))
}

/// Returns the headers that contain the trace context.
pub(super) fn naming(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let values = |name| headers.get_all(name).iter().map(move |value| (name, value));
    let named = values(&PARENT).chain(values(&STATE));
    named
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
