use std::fmt;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::time::FormatTime;
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
        Seconds.format_time(&mut writer)?;
        let level = match *metadata.level() {
            Level::ERROR => 'E',
            Level::WARN => 'W',
            Level::INFO => 'I',
            Level::DEBUG | Level::TRACE => 'V',
        };
        let file = metadata.file().unwrap_or_default();
        let file = file.rsplit('/').next().unwrap_or_default();
        let line = metadata.line().unwrap_or_default();
        write!(writer, " {level} {} {file}:{line}] \"", process::id())?;
        let mut fields = String::new();
        context.format_fields(Writer::new(&mut fields), event)?;
        writeln!(writer, "{}\"", fields.replace('"', "\\\""))
    }
}

/// Formats the time with a precision of seconds.
struct Seconds;

impl FormatTime for Seconds {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs());
        let (days, clock) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
        write!(
            writer,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

/// Converts days since 1970-01-01 to a date.
fn date(days: u64) -> (u64, u64, u64) {
    // Years start in March here, so that the leap day is the last day.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_converted_to_dates() {
        let table = [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (789, (1972, 2, 29)),
            (11_016, (2000, 2, 29)),
            (19_782, (2024, 2, 29)),
            (20_454, (2026, 1, 1)),
            (20_779, (2026, 11, 22)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ];
        for (days, expected) in table {
            assert_eq!(date(days), expected, "{days}");
        }
    }
}
