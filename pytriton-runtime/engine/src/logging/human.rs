use std::error::Error;
use std::fmt::{self, Debug, Display, Write};

use pytriton_core::text::Bounded;
use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

/// Formats the message and fields of a line like `tracing_subscriber`, but escapes and limits the
/// values. So a value cannot start a new line, set a colour, or hide the rest of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct HumanFields;

impl<'writer> FormatFields<'writer> for HumanFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut values = Values {
            writer,
            first: true,
            written: Ok(()),
        };
        fields.record(&mut values);
        values.written
    }
}

struct Values<'writer> {
    writer: Writer<'writer>,
    first: bool,
    written: fmt::Result,
}

impl Values<'_> {
    fn write(&mut self, field: &Field, value: impl Display) -> fmt::Result {
        if !self.first {
            self.writer.write_char(' ')?;
        }
        self.first = false;
        match (field.name(), self.writer.has_ansi_escapes()) {
            ("message", _) => {}
            (name, true) => write!(self.writer, "\x1b[3m{name}\x1b[0m\x1b[2m=\x1b[0m")?,
            (name, false) => write!(self.writer, "{name}=")?,
        }
        let mut bounded = Bounded::legible(&mut self.writer);
        write!(bounded, "{value}")?;
        bounded.finish()
    }

    fn record(&mut self, field: &Field, value: impl Display) {
        if self.written.is_ok() {
            self.written = self.write(field, value);
        }
    }
}

impl Visit for Values<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.record(field, value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.record(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use tracing::subscriber::with_default;

    use crate::logging::captured_output::CapturedOutput;

    use super::*;

    #[test]
    fn control_characters_in_values_are_escaped() {
        let log = CapturedOutput::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .fmt_fields(HumanFields)
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .with_writer(move || writer.clone())
            .finish();
        with_default(subscriber, || {
            let forged = "x\n[ERROR] forged \u{1b}[2J";
            let span = tracing::info_span!("model", name = forged);
            tracing::info!(parent: &span, count = 5, error = %forged, text = forged, "said: {forged}");
            tracing::info!(message = forged);
            tracing::info!("{}", "y".repeat(20_000));
        });
        let log = log.text();
        let lines: Vec<_> = log.lines().collect();
        let forged = "x\\n[ERROR] forged \\u{1b}[2J";
        let first = format!(
            " INFO model{{name=\"{forged}\"}}: said: {forged} count=5 error={forged} text=\"{forged}\""
        );
        assert_eq!(lines[..2], [first, format!(" INFO {forged}")]);
        assert!(
            lines[2].ends_with("y… (11808 more bytes)"),
            "{}",
            lines[2].len()
        );
        assert_eq!(lines.len(), 3);
    }
}
