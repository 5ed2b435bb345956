use std::io::{self, IsTerminal};
use std::panic::{self, PanicHookInfo};
use std::thread;

use clap::ValueEnum;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::model::panic_message;

use super::human::HumanFields;
use super::json::BoundedLines;

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// Sends log lines to standard error, in that detail (0 to 2) and form.
///
/// A program that has set up `tracing` itself keeps what it has.
pub(crate) fn init(verbose: u8, format: LogFormat) {
    let level = match verbose {
        0 => LevelFilter::INFO,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // The libraries below are of use to nobody at their own debug level unless everything is asked for.
    let targets = match verbose {
        0 | 1 => Targets::new().with_default(level).with_targets(
            ["h2", "hyper", "hyper_util", "tonic", "tower"].map(|name| (name, LevelFilter::INFO)),
        ),
        _ => Targets::new().with_default(level),
    };
    let lines = tracing_subscriber::fmt::layer().with_ansi(io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Human => lines
            .fmt_fields(HumanFields)
            .with_writer(io::stderr)
            .boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_writer(|| BoundedLines(io::stderr()))
            .boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(targets));
    if subscriber.try_init().is_ok() {
        panic::set_hook(Box::new(log_panic));
    }
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
