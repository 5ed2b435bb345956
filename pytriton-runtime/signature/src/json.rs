//! The subset of JSON that lock files need: no fractions, and ordered members.

use std::fmt::Write;

use crate::LockError;

/// A value, and the line on which it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) line: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// The maximum nesting depth.
const DEEPEST: usize = 16;

pub(crate) fn parse(text: &str) -> Result<Value, LockError> {
    let mut reader = Reader {
        rest: text,
        line: 1,
    };
    let value = reader.value(0)?;
    reader.skip_space();
    match reader.rest.is_empty() {
        true => Ok(value),
        false => Err(reader.expected("the end of the file")),
    }
}

/// Quotes a string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            char if char < ' ' => {
                // Writing to a `String` never fails.
                let _ = write!(quoted, "\\u{:04x}", u32::from(char));
            }
            char => quoted.push(char),
        }
    }
    quoted + "\""
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, LockError> {
        self.skip_space();
        let line = self.line;
        let kind = match self.rest.bytes().next() {
            Some(_) if depth > DEEPEST => return Err(self.expected("fewer nested values")),
            Some(b'{') => Kind::Object(self.items('}', |reader| {
                reader.skip_space();
                let name = reader.text()?;
                reader.skip_space();
                match reader.take(":") {
                    true => Ok((name, reader.value(depth + 1)?)),
                    false => Err(reader.expected("`:`")),
                }
            })?),
            Some(b'[') => Kind::List(self.items(']', |reader| reader.value(depth + 1))?),
            Some(b'"') => Kind::Text(self.text()?),
            _ if self.take("true") => Kind::Bool(true),
            _ if self.take("false") => Kind::Bool(false),
            _ => Kind::Number(self.number()?),
        };
        Ok(Value { line, kind })
    }

    /// Parses a comma-separated list in brackets.
    fn items<T>(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Self) -> Result<T, LockError>,
    ) -> Result<Vec<T>, LockError> {
        self.rest = &self.rest[1..];
        let end = end.to_string();
        let mut items = Vec::new();
        self.skip_space();
        if self.take(&end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.skip_space();
            if self.take(&end) {
                return Ok(items);
            }
            if !self.take(",") {
                return Err(self.expected(&format!("`,` or `{end}`")));
            }
        }
    }

    fn text(&mut self) -> Result<String, LockError> {
        if !self.take("\"") {
            return Err(self.expected("a text"));
        }
        let mut text = String::new();
        loop {
            let Some(char) = self.next() else {
                return Err(self.expected("`\"`"));
            };
            text.push(match char {
                '"' => return Ok(text),
                '\\' => match self.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some(char @ ('"' | '\\' | '/')) => char,
                    Some('u') => self.escaped()?,
                    _ => return Err(self.expected("an escape sequence")),
                },
                char if char < ' ' => return Err(self.expected("`\"` on the same line")),
                char => char,
            });
        }
    }

    /// Parses the digits after `\u`: a character or a surrogate pair.
    fn escaped(&mut self) -> Result<char, LockError> {
        let first = self.unit()?;
        let second = match first {
            0xD800..0xDC00 if self.take("\\u") => Some(self.unit()?),
            _ => None,
        };
        let mut chars = char::decode_utf16([first].into_iter().chain(second));
        match (chars.next(), chars.next()) {
            (Some(Ok(char)), None) => Ok(char),
            _ => Err(self.expected("a surrogate pair")),
        }
    }

    fn unit(&mut self) -> Result<u16, LockError> {
        let digits = self.rest.get(..4);
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        match unit {
            Some(unit) => {
                self.rest = &self.rest[4..];
                Ok(unit)
            }
            None => Err(self.expected("four hexadecimal digits")),
        }
    }

    fn number(&mut self) -> Result<i64, LockError> {
        let digit = |char: char| char == '-' || char.is_ascii_digit();
        let end = self.rest.find(|char| !digit(char));
        let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        match digits.parse() {
            Ok(number) => {
                self.rest = rest;
                Ok(number)
            }
            Err(_) => Err(self.expected("a value")),
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        let rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let space = &self.rest[..self.rest.len() - rest.len()];
        self.line += space.matches('\n').count();
        self.rest = rest;
    }

    fn expected(&self, what: &str) -> LockError {
        let found = self.rest.chars().next();
        let found = found.map_or_else(
            || "the end of the file".to_owned(),
            |char| format!("`{char}`"),
        );
        LockError::new(self.line, format!("expected {what}, found {found}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogate_pairs_are_decoded() {
        let table = [
            (r#""\u00fc\n""#, Ok("ü\n")),
            (r#""\ud83d\ude00!""#, Ok("😀!")),
            (
                r#""\ud83d""#,
                Err("line 1: expected a surrogate pair, found `\"`"),
            ),
            (
                r#""\ude00 ""#,
                Err("line 1: expected a surrogate pair, found ` `"),
            ),
            (
                r#""\ud83d\u0041x""#,
                Err("line 1: expected a surrogate pair, found `x`"),
            ),
            (
                r#""\u+0ff""#,
                Err("line 1: expected four hexadecimal digits, found `+`"),
            ),
        ];
        for (text, expected) in table {
            let found = parse(text).map(|value| value.kind);
            let found = found.map_err(|error| error.to_string());
            let expected = expected.map(|text| Kind::Text(text.to_owned()));
            assert_eq!(found, expected.map_err(ToOwned::to_owned));
        }
    }

    #[test]
    fn every_escape_sequence_is_read_and_a_control_character_is_not() {
        let text = r#""\"\\\/\b\f\n\r\t ""#;
        let expected = Kind::Text("\"\\/\u{8}\u{c}\n\r\t ".to_owned());
        assert_eq!(parse(text).unwrap().kind, expected);
        for (text, expected) in [
            ("\"\nx\"", "expected `\"` on the same line, found `x`"),
            (r#""\x""#, "expected an escape sequence, found `\"`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert_eq!(error, format!("line 1: {expected}"));
        }
    }

    #[test]
    fn values_may_be_nested_sixteen_times() {
        let lists = |depth| "[".repeat(depth) + "1" + &"]".repeat(depth);
        let objects = |depth| r#"{"a":"#.repeat(depth) + "1" + &"}".repeat(depth);
        for nested in [lists, objects] {
            assert!(parse(&nested(DEEPEST)).is_ok());
            let error = parse(&nested(DEEPEST + 1)).unwrap_err().to_string();
            assert_eq!(error, "line 1: expected fewer nested values, found `1`");
        }
    }
}
