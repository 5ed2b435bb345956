use std::fmt::Display;
use std::iter::once;

use tracing::field::{Empty, display};
use tracing::{Span, info_span};

use crate::model::ModelSpec;
use crate::request::Request;
use crate::text::{for_client, id_in_log};

use super::TraceContext;
use super::otlp::{adopt, trace_id};

/// What the spans here are named by in a filter.
pub(crate) const TARGET: &str = "pytriton::request";

/// The spans of one request.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    request: Span,
    /// As long as it waits.
    queue: Span,
}

/// Whether anybody listens to the spans of requests.
#[cfg(feature = "embedded")]
pub(crate) fn listened() -> bool {
    tracing::span_enabled!(target: TARGET, tracing::Level::INFO)
}

impl Trace {
    /// Begins a request to a model; `None` where nobody listens.
    pub(crate) fn begin(
        model: &ModelSpec,
        context: impl FnOnce() -> Option<TraceContext>,
    ) -> Option<Box<Self>> {
        let request = info_span!(
            target: TARGET,
            "request",
            model = &*model.name,
            version = i64::from(model.version),
            request_id = Empty,
            trace_id = Empty,
            otel.kind = "server",
            otel.status_code = Empty,
            otel.status_description = Empty,
        );
        if request.is_disabled() {
            return None;
        }
        let context = context();
        if let Some(context) = &context {
            adopt(&request, context);
        }
        let own = || context.map(|context| context.trace_id);
        if let Some(id) = trace_id(&request).or_else(own) {
            request.record("trace_id", display(format_args!("{id:032x}")));
        }
        let queue = Span::none();
        Some(Box::new(Self { request, queue }))
    }

    /// The client calls the request so.
    pub(crate) fn identify(&self, id: &str) {
        if !id.is_empty() {
            self.request.record("request_id", id_in_log(id).as_str());
        }
    }

    /// It waits from here on.
    pub(crate) fn enqueue(&mut self) {
        self.queue = info_span!(target: TARGET, parent: &self.request, "queue");
    }

    /// It waits no longer.
    pub(crate) fn dequeue(&mut self) {
        self.queue = Span::none();
    }
}

/// The spans of a request that the client calls so.
pub(crate) fn identified(trace: Option<Box<Trace>>, id: &str) -> Option<Box<Trace>> {
    trace.inspect(|trace| trace.identify(id))
}

/// The span of a request; none where nobody listens.
#[cfg(any(feature = "embedded", test))]
pub(crate) fn span_of(trace: Option<&Trace>) -> Span {
    trace.map_or_else(Span::none, |trace| trace.request.clone())
}

/// Says in the span of a request that it failed.
pub(crate) fn fail(request: &Span, error: &impl Display) {
    if !request.is_disabled() {
        request.record("otel.status_code", "ERROR");
        request.record("otel.status_description", for_client(error).as_str());
    }
}

/// The span of a batch: it stands in that of its first request, and is linked to those of all.
pub(crate) fn batch(model: &ModelSpec, requests: &[Request]) -> Span {
    let mut traces = requests.iter().filter_map(Request::trace);
    let Some(first) = traces.next() else {
        return Span::none();
    };
    let rows: usize = requests.iter().map(Request::batch_size).sum();
    let batch = info_span!(
        target: TARGET,
        parent: &first.request,
        "batch",
        model = &*model.name,
        requests = signed(requests.len()),
        rows = signed(rows),
    );
    for trace in once(first).chain(traces) {
        batch.follows_from(&trace.request);
    }
    batch
}

/// The span of a call with these requests, in that of their batch.
pub(crate) fn function(model: &ModelSpec, instance: u32, requests: &[Request]) -> Span {
    match requests.iter().any(|request| request.trace().is_some()) {
        false => Span::none(),
        true => info_span!(
            target: TARGET,
            "function",
            model = &*model.name,
            instance = i64::from(instance),
            otel.status_code = Empty,
            otel.status_description = Empty,
        ),
    }
}

/// OpenTelemetry's numbers are signed: others come there as text.
fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
