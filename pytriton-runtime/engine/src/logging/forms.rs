use std::fmt;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Whether lines have the form of Triton's `--log-format ISO8601`.
static ISO8601: AtomicBool = AtomicBool::new(false);

/// Human-readable lines in either form.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    human: Format<Full>,
}

/// Switches the form of the lines.
pub(super) fn set_iso8601(on: bool) {
    ISO8601.store(on, Ordering::Relaxed);
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if !ISO8601.load(Ordering::Relaxed) {
            return self.human.format_event(context, writer, event);
        }
        let metadata = event.metadata();
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let (seconds, _) = time.split_once('.').unwrap_or((&time, ""));
        let level = match *metadata.level() {
            Level::ERROR => 'E',
            Level::WARN => 'W',
            Level::INFO => 'I',
            Level::DEBUG | Level::TRACE => 'V',
        };
        let file = metadata.file().unwrap_or_default();
        let file = file.rsplit('/').next().unwrap_or_default();
        let line = metadata.line().unwrap_or_default();
        let process = process::id();
        write!(writer, "{seconds}Z {level} {process} {file}:{line}] \"")?;
        let mut fields = String::new();
        context.format_fields(Writer::new(&mut fields), event)?;
        writeln!(writer, "{}\"", fields.replace('"', "\\\""))
    }
}
