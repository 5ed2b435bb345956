use std::env;
use std::io::{self, IsTerminal};
use std::panic::{self, PanicHookInfo};
use std::thread;

use clap::ValueEnum;
use tracing::dispatcher::has_been_set;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use crate::call::panic_message;
use crate::trace::{Export, TracesError, TracesExporter};

use super::about::{Abouts, is_of_request};
use super::filter::{by_detail, filter, names_spans};
use super::human::HumanFields;
use super::json::BoundedLines;
use super::lines::RequestLines;

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// A layer of any kind.
type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Sends log lines to standard error, in that detail (0 to 2) and form, and spans where they are to go, as long as what is
/// returned is there. `RUST_LOG` says more than the detail.
///
/// A program that has set up `tracing` itself keeps what it has.
///
/// # Errors
///
/// [`TracesError`] where spans cannot go there.
pub(crate) fn init(
    verbose: u8,
    format: LogFormat,
    traces: TracesExporter,
) -> Result<Export, TracesError> {
    if has_been_set() {
        return Ok(Export::default());
    }
    let rust_log = env::var("RUST_LOG").ok();
    let (targets, misread) = match filter(verbose, rust_log.as_deref()) {
        Ok(targets) => (targets, None),
        Err(error) => (by_detail(verbose), Some(error)),
    };
    let lines = tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal());
    let mut layers: Vec<BoxedLayer> = match format {
        LogFormat::Human => {
            // Spans of requests cost something, and lines for people do not show them.
            let wanted = names_spans(rust_log.as_deref());
            let spans = filter_fn(move |metadata| wanted || !is_of_request(metadata));
            let lines = lines.fmt_fields(HumanFields).with_writer(io::stderr);
            vec![lines.with_filter(targets.and(spans)).boxed()]
        }
        LogFormat::Json => {
            let lines = lines
                .json()
                .flatten_event(true)
                .map_event_format(RequestLines)
                .with_writer(|| BoundedLines(io::stderr()));
            vec![
                lines
                    .with_filter(targets.or(filter_fn(is_of_request)))
                    .boxed(),
                Abouts.with_filter(filter_fn(is_of_request)).boxed(),
            ]
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
        panic::set_hook(Box::new(log_panic));
        if let Some(error) = misread {
            tracing::warn!("RUST_LOG has no effect: {error}");
        }
    }
    Ok(export)
}

/// A panic of a user's function is a log line like any other, whatever the form of the lines.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = thread::current();
    tracing::error!(
        thread = thread.name().unwrap_or("unnamed"),
        location = panic.location().map(tracing::field::display),
        "panicked: {}",
        panic_message(panic.payload())
    );
}
