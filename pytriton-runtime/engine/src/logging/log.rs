use std::env;
use std::io::{self, IsTerminal};
use std::panic::{self, PanicHookInfo};
use std::thread;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pytriton_core::panic::panic_message;
use pytriton_kserve::{LogFormat, LogSettings};
use tracing::dispatcher::has_been_set;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use crate::trace::{Export, TracesError, TracesExporter, enable_log_context};

use super::active_log::{self, ActiveLog};
use super::filter::{directives, is_of_request, names_spans};
use super::forms::{Lines, set_iso8601};
use super::human::HumanFields;
use super::json::BoundedLines;
use super::line_filter::LineFilter;
use super::lines::RequestLines;
use super::sink::{Sink, flush_before_panic};

/// Returns the parser of the option for the format.
pub(crate) fn log_format_parser() -> impl TypedValueParser<Value = LogFormat> {
    let values = [
        PossibleValue::new("human")
            .alias("default")
            .help("Human-readable"),
        PossibleValue::new("ISO8601").help("Triton's format of the same name"),
        PossibleValue::new("json").help("One JSON object per line"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "json" => LogFormat::Json,
        "ISO8601" => LogFormat::Iso8601,
        _ => LogFormat::Human,
    })
}

/// A boxed layer.
type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Initializes logging to standard error and, if requested, the export of spans. The returned guard
/// flushes the export when dropped. `RUST_LOG` takes precedence over the verbosity of the settings.
///
/// If the program has already set up `tracing`, its setup is kept.
///
/// # Errors
///
/// Returns a [`TracesError`] if spans cannot be exported.
pub fn init(settings: &LogSettings, traces: TracesExporter) -> Result<Export, TracesError> {
    if has_been_set() {
        return Ok(Export::default());
    }
    let rust_log = env::var("RUST_LOG").ok();
    let wanted = names_spans(rust_log.as_deref());
    let directives = directives(rust_log.as_deref());
    let (gate, misread) = match LineFilter::new(directives, settings) {
        Ok(gate) => (gate, None),
        Err(error) => (LineFilter::by_detail(settings), Some(error)),
    };
    let (gate, handle) = tracing_subscriber::reload::Layer::new(gate);
    let lines = tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal());
    // Request spans are costly, and log lines do not show them.
    let spans = filter_fn(move |metadata| wanted || !is_of_request(metadata));
    let shown = gate.and(spans);
    let mut layers: Vec<BoxedLayer> = match settings.format {
        LogFormat::Json => {
            let lines = lines
                .json()
                .flatten_event(true)
                .map_event_format(RequestLines)
                .with_writer(|| BoundedLines(Sink));
            vec![lines.with_filter(shown).boxed()]
        }
        LogFormat::Human | LogFormat::Iso8601 => {
            let lines = lines
                .event_format(Lines::default())
                .fmt_fields(HumanFields)
                .with_writer(|| Sink);
            vec![lines.with_filter(shown).boxed()]
        }
    };
    let mut export = Export::default();
    if let Some((layer, exporting)) = traces.layer()? {
        layers.push(layer);
        export = exporting;
    }
    if tracing_subscriber::registry()
        .with(layers)
        .try_init()
        .is_ok()
    {
        set_iso8601(settings.format == LogFormat::Iso8601);
        if settings.format == LogFormat::Json {
            enable_log_context();
        }
        active_log::start(ActiveLog {
            settings: settings.clone(),
            directives: directives.filter(|_| misread.is_none()).map(str::to_owned),
            handle,
        });
        panic::set_hook(Box::new(log_panic));
        if let Some(error) = misread {
            tracing::warn!("RUST_LOG has no effect: {error}");
        }
    }
    Ok(export)
}

/// Logs a panic of a user's function as a regular line, in any format.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = thread::current();
    tracing::error!(
        thread = thread.name().unwrap_or("unnamed"),
        location = panic.location().map(tracing::field::display),
        "panicked: {}",
        panic_message(panic.payload())
    );
    // A panic of the main thread ends the process.
    if thread.name() == Some("main") {
        flush_before_panic();
    }
}
