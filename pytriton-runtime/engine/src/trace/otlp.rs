use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::InstrumentationScope;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

use super::export::{BoxedLayer, Export};
use super::exporter::{Bounded, DroppedSpans};
use super::{Batching, TracesError};

/// The spans that the exporter could not queue or send, once it exists.
static DROPPED_SPANS: OnceLock<DroppedSpans> = OnceLock::new();

/// The crates of the exporter itself. Exporting their spans would create further spans.
const EXPORTER_CRATES: [&str; 9] = [
    "h2",
    "hyper",
    "hyper_util",
    "opentelemetry",
    "opentelemetry-otlp",
    "opentelemetry_otlp",
    "opentelemetry_sdk",
    "tonic",
    "tower",
];

/// The timeout for sending the last spans.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the number of dropped spans; `None` if none are exported.
pub fn dropped_spans() -> Option<u64> {
    DROPPED_SPANS.get().map(DroppedSpans::spans)
}

/// Returns the counter of dropped spans.
pub(super) fn lost() -> DroppedSpans {
    DROPPED_SPANS.get_or_init(DroppedSpans::default).clone()
}

/// Starts the exporter as configured by the `OTEL_*` variables.
pub(super) fn export() -> Result<(BoxedLayer<Registry>, Export), TracesError> {
    let resource = Resource::builder().build();
    let processor = Bounded::start(&resource, lost(), Batching::from_env(), None)?;
    let provider = SdkTracerProvider::builder()
        .with_span_processor(processor)
        .with_resource(resource)
        .build();
    let scope = InstrumentationScope::builder("pytriton")
        .with_version(env!("CARGO_PKG_VERSION"))
        .build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer_with_scope(scope))
        .with_filter(filter_fn(is_exported));
    let export = Export {
        provider: Some(provider),
    };
    Ok((layer.boxed(), export))
}

/// Returns whether a span or event is exported: those of requests and of user functions.
fn is_exported(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    // The span of an instance lasts as long as the instance.
    let instance =
        metadata.is_span() && metadata.name() == "model" && is_of("pytriton_core", target);
    let below = EXPORTER_CRATES.iter().any(|name| is_of(name, target));
    *metadata.level() <= Level::INFO && !instance && !below
}

/// Returns whether a target is a crate or a module in it.
fn is_of(name: &str, target: &str) -> bool {
    let rest = target.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

impl Drop for Export {
    fn drop(&mut self) {
        if let Some(provider) = self.provider.take()
            && let Err(error) = provider.shutdown_with_timeout(FLUSH_TIMEOUT)
        {
            tracing::warn!("the last spans may not have been exported: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_filter_does_not_match_longer_names() {
        let table = [
            ("tower", "tower", true),
            ("tower", "tower::buffer", true),
            ("tower", "towers", false),
            ("tower", "tower_of_babel::floor", false),
            ("h2", "h2o", false),
        ];
        for (name, target, expected) in table {
            assert_eq!(is_of(name, target), expected, "{target}");
        }
    }
}
