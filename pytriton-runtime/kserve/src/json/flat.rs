use super::value::describe;

/// Iterates over the elements of nested JSON arrays, regardless of their nesting.
///
/// The text must be a single valid JSON array. There is no recursion. Depth costs nothing, but is
/// limited.
#[derive(Debug)]
pub(crate) struct Flat<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    max_depth: usize,
}

/// An element of an array, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A number, `true`, `false` or `null`.
    Plain(&'a str),
    /// A string with its quotes.
    String(&'a str),
    /// An object. The iteration does not continue after it.
    Object,
}

impl Token<'_> {
    /// Describes the element for messages.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Plain(text) | Self::String(text) => describe(text),
            Self::Object => describe("{"),
        }
    }
}

/// Arrays are nested more deeply than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooDeep;

impl<'a> Flat<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            max_depth,
        }
    }

    /// Returns the text up to the position that `end` computes, and advances.
    fn take(&mut self, end: impl Fn(&[u8]) -> usize) -> &'a str {
        let rest = &self.text[self.at..];
        let length = end(rest.as_bytes());
        self.at += length;
        &rest[..length]
    }
}

impl<'a> Iterator for Flat<'a> {
    type Item = Result<Token<'a>, TooDeep>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'"' => return Some(Ok(Token::String(self.take(string_length)))),
                b'{' => {
                    self.at = self.text.len();
                    return Some(Ok(Token::Object));
                }
                b'[' => {
                    self.depth += 1;
                    if self.depth > self.max_depth {
                        self.at = self.text.len();
                        return Some(Err(TooDeep));
                    }
                }
                b']' => self.depth = self.depth.saturating_sub(1),
                b',' | b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => return Some(Ok(Token::Plain(self.take(plain_length)))),
            }
            self.at += 1;
        }
    }
}

fn plain_length(rest: &[u8]) -> usize {
    let end = |byte: &u8| matches!(byte, b',' | b']' | b' ' | b'\t' | b'\n' | b'\r');
    rest.iter().position(end).unwrap_or(rest.len())
}

/// Returns the length of the string at the beginning of `rest`, including quotes.
pub(super) fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        Flat::new(text, 100).map(Result::unwrap).collect()
    }

    #[test]
    fn nested_arrays_are_flattened() {
        use Token::{Object, Plain, String};
        let table: &[(&str, &[Token<'_>])] = &[
            ("[]", &[]),
            ("[[],[[ ]]]", &[]),
            (
                "[1, [-2.5e3 ,[true]],null]",
                &[Plain("1"), Plain("-2.5e3"), Plain("true"), Plain("null")],
            ),
            (
                r#"["a\"]",["\\"],"é"]"#,
                &[String(r#""a\"]""#), String(r#""\\""#), String("\"é\"")],
            ),
            ("[1,{\"a\":[2]},3]", &[Plain("1"), Object]),
        ];
        for (text, expected) in table {
            assert_eq!(tokens(text), *expected, "{text}");
        }
    }

    #[test]
    fn nesting_depth_is_limited() {
        for (depth, fits) in [
            (1, true),
            (99, true),
            (100, true),
            (101, false),
            (250_000, false),
        ] {
            let text = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            let walked: Result<Vec<_>, TooDeep> = Flat::new(&text, 100).collect();
            assert_eq!(walked.is_ok(), fits, "{depth}");
        }
    }
}
