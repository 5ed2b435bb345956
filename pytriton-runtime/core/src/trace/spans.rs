use std::sync::Arc;

use tracing::field::{Empty, display};
use tracing::{Span, info_span};

use crate::model::ModelSpec;
use crate::text::id_in_log;

use super::log_context::{LogContext, current, is_log_context_enabled};
use super::parent::{set_parent, trace_id};
use super::{Scope, TraceContext};

/// The target of the request spans, for use in filters.
pub const TARGET: &str = "pytriton::request";

/// The spans of one request, and the fields that its log lines contain.
#[derive(Debug, Clone)]
pub struct Trace {
    request: Scope,
    /// The span of the queue time.
    queue: Span,
}

/// Returns whether a subscriber is interested in request spans, or log lines name their requests.
pub fn listened() -> bool {
    is_log_context_enabled() || tracing::span_enabled!(target: TARGET, tracing::Level::INFO)
}

impl Trace {
    /// Starts the trace of a request. Returns `None` if no subscriber is interested.
    pub fn begin(
        model: &ModelSpec,
        context: impl FnOnce() -> Option<TraceContext>,
    ) -> Option<Box<Self>> {
        let span = info_span!(
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
        let listened = !span.is_disabled();
        if !listened && !is_log_context_enabled() {
            return None;
        }
        let context = context();
        let own = context.as_ref().map(|context| context.trace_id);
        let id = match listened {
            true => set_remote_parent(&span, context.as_ref()).or(own),
            false => own,
        };
        let log_context = is_log_context_enabled().then(|| {
            Arc::new(LogContext {
                model: Arc::clone(&model.name),
                requests: Vec::new(),
                traces: id.into_iter().collect(),
            })
        });
        if let Some(id) = id.filter(|_| listened) {
            span.record("trace_id", display(format_args!("{id:032x}")));
        }
        let request = Scope { span, log_context };
        let queue = Span::none();
        Some(Box::new(Self { request, queue }))
    }

    /// Starts the trace of a request from a function of this process. Its parent is the current
    /// span, and its log lines name the requests of the function.
    pub fn nested(model: &ModelSpec) -> Option<Box<Self>> {
        let span = info_span!(
            target: TARGET,
            "request",
            model = &*model.name,
            version = i64::from(model.version),
            otel.kind = "internal",
            otel.status_code = Empty,
            otel.status_description = Empty,
        );
        let caller = is_log_context_enabled().then(current).flatten();
        let log_context = caller.map(|caller| {
            Arc::new(LogContext {
                model: Arc::clone(&model.name),
                ..LogContext::clone(&caller)
            })
        });
        let request = Scope { span, log_context };
        let queue = Span::none();
        (!request.is_none()).then(|| Box::new(Self { request, queue }))
    }

    /// Records the client's request id.
    fn identify(&mut self, id: &str) {
        if id.is_empty() {
            return;
        }
        let id = id_in_log(id);
        let Scope { span, log_context } = &mut self.request;
        span.record("request_id", id.as_str());
        // The value is not shared yet.
        if let Some(log_context) = log_context.as_mut().and_then(Arc::get_mut) {
            log_context.requests = vec![id];
        }
    }

    /// Starts the queue time.
    pub fn enqueue(&mut self) {
        self.queue = info_span!(target: TARGET, parent: &self.request.span, "queue");
    }

    /// Ends the queue time.
    pub fn dequeue(&mut self) {
        self.queue = Span::none();
    }
}

/// Makes the span a child of the client's span, if any. Returns its trace id.
fn set_remote_parent(span: &Span, context: Option<&TraceContext>) -> Option<u128> {
    if let Some(context) = context {
        set_parent(span, context);
    }
    trace_id(span)
}

/// Records the client's request id in a trace, if there is one.
pub fn identified(mut trace: Option<Box<Trace>>, id: &str) -> Option<Box<Trace>> {
    if let Some(trace) = &mut trace {
        trace.identify(id);
    }
    trace
}

/// Returns the scope of a request; empty if it is not traced.
pub fn scope_of(trace: Option<&Trace>) -> Scope {
    trace.map_or_else(Scope::none, |trace| trace.request.clone())
}

/// Returns the scope of a batch with these traces. Its span is a child of the first request's span,
/// and is linked to the spans of all requests.
pub fn batch<'t>(
    model: &ModelSpec,
    traces: impl Iterator<Item = &'t Trace> + Clone,
    requests: usize,
    rows: impl FnOnce() -> usize,
) -> Scope {
    let Some(first) = traces.clone().next() else {
        return Scope::none();
    };
    let log_contexts = traces.clone();
    let log_context =
        LogContext::of(log_contexts.filter_map(|trace| trace.request.log_context.as_ref()));
    let parent = &first.request.span;
    if parent.is_disabled() {
        let span = Span::none();
        return Scope { span, log_context };
    }
    let span = info_span!(
        target: TARGET,
        parent: parent,
        "batch",
        model = &*model.name,
        requests = signed(requests),
        rows = signed(rows()),
    );
    for trace in traces {
        span.follows_from(&trace.request.span);
    }
    Scope { span, log_context }
}

/// Returns the scope of a call for requests with these traces. Its span is a child of the batch's
/// span.
pub fn function<'t>(
    model: &ModelSpec,
    instance: u32,
    mut traces: impl Iterator<Item = &'t Trace>,
) -> Scope {
    if !traces.any(|trace| !trace.request.span.is_disabled()) {
        return Scope::none();
    }
    let span = info_span!(
        target: TARGET,
        "function",
        model = &*model.name,
        instance = i64::from(instance),
        otel.status_code = Empty,
        otel.status_description = Empty,
    );
    // The requests are those of the batch.
    let log_context = None;
    Scope { span, log_context }
}

/// Converts to OpenTelemetry's signed integers; unsigned ones would be exported as text.
fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
