use axum::http::{HeaderMap, HeaderName};

use crate::model::ModelSpec;
use crate::trace::{TRACEPARENT, TRACESTATE, Trace, TraceContext};

static PARENT: HeaderName = HeaderName::from_static(TRACEPARENT);
static STATE: HeaderName = HeaderName::from_static(TRACESTATE);

/// The spans of a request with these headers; `None` where nobody listens.
pub(super) fn traced(model: &ModelSpec, headers: &HeaderMap) -> Option<Box<Trace>> {
    Trace::begin(model, || {
        let values = |name: &HeaderName| {
            let values = headers.get_all(name).iter();
            values.filter_map(|value| value.to_str().ok())
        };
        TraceContext::read(values(&PARENT), values(&STATE))
    })
}
