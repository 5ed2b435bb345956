use std::env;
use std::io::{self, IsTerminal};
use std::panic::{self, PanicHookInfo};
use std::thread;

use clap::ValueEnum;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::call::panic_message;

use super::filter::{by_detail, filter};
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

/// Sends log lines to standard error, in that detail (0 to 2) and form. `RUST_LOG` says more than the detail.
///
/// A program that has set up `tracing` itself keeps what it has.
pub(crate) fn init(verbose: u8, format: LogFormat) {
    let rust_log = env::var("RUST_LOG").ok();
    let (targets, misread) = match filter(verbose, rust_log.as_deref()) {
        Ok(targets) => (targets, None),
        Err(error) => (by_detail(verbose), Some(error)),
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
        if let Some(error) = misread {
            tracing::warn!("RUST_LOG has no effect: {error}");
        }
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
