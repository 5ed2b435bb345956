use tracing_subscriber::Layer;

/// A boxed layer.
pub(super) type BoxedLayer<S> = Box<dyn Layer<S> + Send + Sync>;

/// An active export. Dropping it sends the remaining spans.
#[derive(Debug, Default)]
pub struct Export {
    #[cfg(feature = "otel")]
    pub(super) provider: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}
