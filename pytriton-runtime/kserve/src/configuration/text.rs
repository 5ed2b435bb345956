use std::fmt::{self, Write};

use super::{Field, Message, Scalar, Value};

impl Message<'_> {
    /// Encodes the message in protobuf's text format, without Triton's defaults.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_kserve::configuration::{Field, Message};
    /// let message = Message {
    ///     fields: vec![Field { name: "count", number: 2, value: 4_u64.into(), explicit: true }],
    /// };
    /// assert_eq!(message.text(), "count: 4\n");
    /// ```
    pub fn text(&self) -> String {
        let mut text = Text::default();
        text.message(self);
        text.text
    }
}

/// A writer of protobuf text.
#[derive(Debug, Default)]
struct Text {
    text: String,
    depth: usize,
}

impl Text {
    fn message(&mut self, message: &Message<'_>) {
        for field in message.fields.iter().filter(|field| field.explicit) {
            self.field(field);
        }
    }

    fn field(&mut self, field: &Field<'_>) {
        let name = field.name;
        match &field.value {
            Value::Message(message) => self.block(name, |text| text.message(message)),
            Value::Messages(messages) => {
                for message in messages {
                    self.block(name, |text| text.message(message));
                }
            }
            Value::Map(entries) => {
                for (key, message) in entries {
                    self.block(name, |text| {
                        text.scalar("key", key);
                        text.block("value", |text| text.message(message));
                    });
                }
            }
            Value::Numbers(numbers) if numbers.is_empty() => {}
            Value::Numbers(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
                self.line(format_args!("{name}: [{}]", numbers.join(", ")));
            }
            Value::Scalar(scalar) => self.scalar(name, scalar),
        }
    }

    fn scalar(&mut self, name: &str, scalar: &Scalar<'_>) {
        match scalar {
            Scalar::Text(text) => self.line(format_args!("{name}: {}", quoted(text))),
            scalar => self.line(format_args!("{name}: {scalar}")),
        }
    }

    fn block(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.line(format_args!("{name} {{"));
        self.depth += 1;
        write(self);
        self.depth -= 1;
        self.line(format_args!("}}"));
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        let indent = 2 * self.depth;
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }
}

/// A string of the protobuf text format.
fn quoted(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Three digits, so that a following digit is not part of the escape.
            '\0'..='\x1f' | '\x7f' => {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\{:03o}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let table = [
            ("", r#""""#),
            ("a", r#""a""#),
            ("\"\\", r#""\"\\""#),
            ("\n\r\t", r#""\n\r\t""#),
            ("\0\u{1b}7", r#""\000\0337""#),
            ("ü→", "\"ü→\""),
        ];
        for (value, expected) in table {
            assert_eq!(quoted(value), expected);
        }
    }
}
