use opentelemetry::trace::{Event, Span as _, SpanBuilder, SpanKind, TraceContextExt};
use opentelemetry::trace::{Tracer as _, TracerProvider};
use opentelemetry::{Context, InstrumentationScope, Key, KeyValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};

use super::exporter::Bounded;
use super::finished::{Attribute, FinishedSpan};
use super::otlp::lost;
use super::{Batching, TraceContext, TracesError, parent};

/// The default service name.
const SERVICE: &str = "triton-inference-server";

/// Sends finished spans to a collector.
#[derive(Debug)]
pub struct Recorder {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Recorder {
    /// Starts sending to a collector, by default the one in the `OTEL_*` variables.
    ///
    /// # Errors
    ///
    /// Returns [`TracesError::Exporter`] if the exporter does not start.
    pub fn start(
        url: Option<&str>,
        resource: &[(String, String)],
        batching: Batching,
    ) -> Result<Self, TracesError> {
        let resource = described(resource);
        let processor = Bounded::start(&resource, lost(), batching, url)?;
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            .with_resource(resource)
            // Sampling is already decided, and so is the number of events.
            .with_sampler(Sampler::AlwaysOn)
            .with_max_events_per_span(u32::MAX)
            .build();
        let scope = InstrumentationScope::builder("triton-server").build();
        let tracer = provider.tracer_with_scope(scope);
        Ok(Self { provider, tracer })
    }

    /// Records a complete trace, as a child of the client's trace if there is one.
    pub fn record(&self, spans: Vec<FinishedSpan>, client: Option<&TraceContext>) {
        let root = client.map_or_else(Context::new, parent);
        let mut begun: Vec<(opentelemetry_sdk::trace::Span, _)> = Vec::with_capacity(spans.len());
        for span in spans {
            let around = span.parent.and_then(|index| begun.get(index));
            let around = around.map(|(span, _)| span.span_context().clone());
            let around = around.map(|span| Context::new().with_remote_span_context(span));
            let ended = span.ended;
            let span = self
                .tracer
                .build_with_context(builder(span), around.as_ref().unwrap_or(&root));
            begun.push((span, ended));
        }
        for (mut span, ended) in begun.into_iter().rev() {
            span.end_with_timestamp(ended);
        }
    }

    /// Sends all queued spans.
    pub fn flush(&self) {
        if let Err(error) = self.provider.force_flush() {
            tracing::warn!("the last spans may not have been exported: {error}");
        }
    }
}

/// Returns the resource with these attributes and those of the `OTEL_*` variables.
fn described(attributes: &[(String, String)]) -> Resource {
    let detected = Resource::builder().build();
    let name = detected.get(&Key::from_static_str("service.name"));
    let unknown = name.is_none_or(|name| name.as_str().starts_with("unknown_service"));
    let name = unknown.then(|| KeyValue::new("service.name", SERVICE));
    let given = attributes.iter().cloned();
    Resource::builder()
        .with_attributes(name)
        .with_attributes(given.map(|(key, value)| KeyValue::new(key, value)))
        .build()
}

fn builder(span: FinishedSpan) -> SpanBuilder {
    let attributes = span.attributes.into_iter().map(|(name, attribute)| {
        let value = match attribute {
            Attribute::Number(number) => Value::I64(number),
            Attribute::Text(text) => Value::from(text),
        };
        KeyValue::new(name, value)
    });
    let events = span.events.into_iter();
    SpanBuilder::from_name(span.name)
        .with_kind(SpanKind::Server)
        .with_start_time(span.begun)
        .with_attributes(attributes)
        .with_events(
            events
                .map(|(name, when)| Event::new(name, when, Vec::new(), 0))
                .collect(),
        )
}
