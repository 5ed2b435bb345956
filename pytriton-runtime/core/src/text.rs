//! Text from clients and user code: how much of it is passed on, and how it is escaped.

use std::fmt::{self, Display, Write};
use std::time::Duration;

/// The maximum size of an error message for a client, in bytes. gRPC sends it as metadata, in which
/// each non-ASCII byte takes three. Clients accept 8 KiB of metadata.
const FOR_CLIENT: usize = 2 << 10;

/// The maximum size of client text within an error, in bytes. It leaves space for the rest of the
/// message.
const IN_ERROR: usize = 1 << 10;

/// The maximum size of one text in the log, in bytes.
pub const IN_LOG: usize = 8 << 10;

/// The maximum size of a client's request id in the log, in bytes.
const ID_IN_LOG: usize = 128;

/// Compares two texts; usable in constants.
pub(crate) const fn equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Returns the known name that is nearest to an unknown one, if one is similar.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.map(|known| (strsim::levenshtein(name, known), known));
    let (distance, nearest) = distances.min()?;
    (distance <= nearest.len().div_ceil(3)).then_some(nearest)
}

/// Returns the end of an error about an unknown name.
pub(crate) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!(": did you mean `{nearest}`?")
    })
}

/// Returns the message of an error for a client.
pub fn for_client(error: &impl Display) -> String {
    cut(error, FOR_CLIENT)
}

/// Returns the beginning of a client's text for use in an error. An error must not hold everything
/// that a client sends.
pub fn excerpt(text: &(impl Display + ?Sized)) -> String {
    cut(text, IN_ERROR)
}

/// Returns a client's request id for a log or span that escapes its values.
pub fn id_in_log(id: &str) -> String {
    cut(&id, ID_IN_LOG)
}

/// Returns a text for a log that escapes its values.
pub fn in_log(text: &impl Display) -> String {
    cut(text, IN_LOG)
}

fn cut(text: &(impl Display + ?Sized), limit: usize) -> String {
    let mut cut = String::new();
    let mut bounded = Bounded::new(&mut cut, limit, false);
    // Writing to a `String` cannot fail. If `Display` fails, the text ends there.
    let _ = write!(bounded, "{text}").and_then(|()| bounded.finish());
    cut
}

/// Displays a text on a single line of bounded length.
#[derive(Debug, Clone, Copy)]
pub struct Legible<T>(pub T);

impl<T: Display> Display for Legible<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bounded = Bounded::legible(formatter);
        write!(bounded, "{}", self.0)?;
        bounded.finish()
    }
}

/// A writer that passes on a limited number of bytes.
#[derive(Debug)]
pub struct Bounded<W> {
    writer: W,
    limit: usize,
    left_out: usize,
    escapes: bool,
}

impl<W: Write> Bounded<W> {
    /// Creates a writer for a human-readable log.
    pub fn legible(writer: W) -> Self {
        Self::new(writer, IN_LOG, true)
    }

    fn new(writer: W, limit: usize, escapes: bool) -> Self {
        Self {
            writer,
            limit,
            left_out: 0,
            escapes,
        }
    }

    /// Appends the number of bytes that were omitted.
    ///
    /// # Errors
    ///
    /// Returns the error of the writer.
    pub fn finish(mut self) -> fmt::Result {
        match self.left_out {
            0 => Ok(()),
            bytes => write!(self.writer, "… ({bytes} more bytes)"),
        }
    }
}

impl<W: Write> Write for Bounded<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (at, letter) in text.char_indices() {
            let escape = self.escapes && acts(letter);
            let length = match escape {
                true => letter.escape_default().len(),
                false => letter.len_utf8(),
            };
            if self.left_out > 0 || length > self.limit {
                self.writer.write_str(&text[plain..at])?;
                self.limit = 0;
                self.left_out += text.len() - at;
                return Ok(());
            }
            self.limit -= length;
            if escape {
                self.writer.write_str(&text[plain..at])?;
                write!(self.writer, "{}", letter.escape_default())?;
                plain = at + letter.len_utf8();
            }
        }
        self.writer.write_str(&text[plain..])
    }
}

/// Returns whether a character affects a line or a terminal: it breaks the line, moves the cursor,
/// or changes colour or direction.
fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Formats a limit for a message.
pub fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let table = [
            ("plain Ünicode \"x\" \\n", "plain Ünicode \"x\" \\n"),
            ("x\n[ERROR] forged", "x\\n[ERROR] forged"),
            (
                "\u{1b}[31mred\u{7}\r\t\u{9b}",
                "\\u{1b}[31mred\\u{7}\\r\\t\\u{9b}",
            ),
            ("a\u{2028}b\u{202e}c", "a\\u{2028}b\\u{202e}c"),
            ("", ""),
        ];
        for (text, expected) in table {
            assert_eq!(Legible(text).to_string(), expected);
        }
    }

    #[test]
    fn long_text_is_truncated_between_characters() {
        let text = "ü".repeat(IN_LOG);
        let shown = Legible(&text).to_string();
        assert_eq!(
            shown,
            format!("{}… ({IN_LOG} more bytes)", "ü".repeat(IN_LOG / 2))
        );
        let shortened = for_client(&format_args!("{}{text}", "x".repeat(FOR_CLIENT - 1)));
        let expected = format!(
            "{}… ({} more bytes)",
            "x".repeat(FOR_CLIENT - 1),
            2 * IN_LOG
        );
        assert_eq!(shortened, expected);
        assert_eq!(for_client(&"x\ny".repeat(600)), "x\ny".repeat(600));
        assert!(Legible("\n".repeat(IN_LOG)).to_string().len() < IN_LOG + 100);
    }
}
