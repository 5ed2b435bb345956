use std::borrow::Cow;

use serde_json::value::RawValue;

/// A small JSON value, as text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a>(&'a str);

impl<'a> Value<'a> {
    pub(crate) fn new(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }

    pub(crate) fn from_text(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if inner.contains('\\') {
            let mut text = String::with_capacity(inner.len());
            super::unescape(inner, |piece| text.push_str(piece))?;
            return Some(Cow::Owned(text));
        }
        Some(Cow::Borrowed(inner))
    }

    /// Returns the length of the text, which is an upper bound for the decoded string.
    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether the value is a string without unpaired surrogates.
    fn is_text(self) -> bool {
        let inner = self
            .0
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        inner.is_some_and(|inner| super::unescape(inner, |_| {}).is_some())
    }

    /// Describes the value for messages: numbers and literals in full, others by type.
    pub(crate) fn describe(self) -> String {
        describe(self.0)
    }
}

impl Value<'_> {
    pub(crate) fn unsigned(self) -> Option<u64> {
        self.0.parse().ok()
    }

    pub(crate) fn integer(self) -> Option<i64> {
        self.0.parse().ok()
    }

    pub(crate) fn double(self) -> Option<f64> {
        // Rust parses more than JSON numbers, but no other JSON value parses as a float.
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    pub(crate) fn boolean(self) -> Option<bool> {
        self.0.parse().ok()
    }
}

/// Describes a JSON value, given as text.
pub(crate) fn describe(text: &str) -> String {
    /// Longer numbers are truncated in messages.
    const LONGEST: usize = 40;

    match text.as_bytes().first() {
        Some(b'"') if !Value(text).is_text() => "a string that is not valid Unicode".to_owned(),
        Some(b'"') => "a string".to_owned(),
        Some(b'[') => "an array".to_owned(),
        Some(b'{') => "an object".to_owned(),
        _ => match text.get(..LONGEST) {
            Some(start) if text.len() > LONGEST => format!("{start}…"),
            _ => text.to_owned(),
        },
    }
}
