use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::trace::TARGET;

/// So many requests of a batch are named in a line at most.
const MOST: usize = 32;

/// Which requests a line is about: what every line says that is written within their spans.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    requests: Vec<String>,
    traces: Vec<String>,
    model: Option<String>,
}

impl About {
    /// As members of a line; one request is told of as text, several as a list.
    pub(super) fn members(&self) -> Map<String, Value> {
        let mut members = Map::new();
        let mut tell = |one: &str, many: &str, ids: &[String]| match ids {
            [] => {}
            [id] => drop(members.insert(one.to_owned(), id.as_str().into())),
            ids => drop(members.insert(many.to_owned(), ids.into())),
        };
        tell("request_id", "request_ids", &self.requests);
        tell("trace_id", "trace_ids", &self.traces);
        if let Some(model) = &self.model {
            members.insert("model".to_owned(), model.as_str().into());
        }
        members
    }

    fn add(&mut self, other: &Self) {
        let add = |ids: &mut Vec<String>, others: &[String]| {
            let room = MOST.saturating_sub(ids.len());
            let new = others.iter().filter(|id| !ids.contains(id)).take(room);
            let new: Vec<String> = new.cloned().collect();
            ids.extend(new);
        };
        add(&mut self.requests, &other.requests);
        add(&mut self.traces, &other.traces);
    }
}

impl Visit for About {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "request_id" => self.requests = vec![value.to_owned()],
            "trace_id" => self.traces = vec![value.to_owned()],
            "model" => self.model = Some(value.to_owned()),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "trace_id" {
            self.record_str(field, &format!("{value:?}"));
        }
    }
}

/// Keeps with the spans of requests what lines say of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abouts;

/// Whether it is a span of a request.
pub(super) fn is_of_request(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target() == TARGET
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Abouts {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else {
            return;
        };
        // A call is about what its batch is about; a batch is told of its requests behind this.
        let mut about = match (span.name(), span.parent()) {
            ("batch", _) | (_, None) => About::default(),
            (_, Some(parent)) => parent.extensions().get().cloned().unwrap_or_default(),
        };
        attributes.record(&mut about);
        span.extensions_mut().insert(about);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(about) = span.extensions_mut().get_mut::<About>()
        {
            values.record(about);
        }
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let (Some(span), Some(other)) = (context.span(id), context.span(follows)) else {
            return;
        };
        let other: Option<About> = other.extensions().get().cloned();
        if let (Some(about), Some(other)) = (span.extensions_mut().get_mut::<About>(), other) {
            about.add(&other);
        }
    }
}
