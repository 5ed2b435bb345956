use pytriton_core::request::{ParameterValue, Parameters};
use regex_lite::{Regex, RegexBuilder};
use thiserror::Error;

/// A pattern of headers that become request parameters.
///
/// # Examples
///
/// ```
/// # use pytriton_engine::HeaderForward;
/// let forward = HeaderForward::new("^X-(Tenant|User)$").unwrap();
/// assert!(forward.forwards("x-tenant"));
/// assert!(!forward.forwards("x-tenant-name"));
/// assert!(!HeaderForward::default().forwards("x-tenant"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct HeaderForward(Option<Regex>);

/// The pattern is not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("header forward pattern '{pattern}' is not a valid regular expression: {message}")]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// The parser's message.
    pub message: String,
}

impl HeaderForward {
    /// Forwards the headers whose names contain a match of the pattern, ignoring case. An empty
    /// pattern forwards none.
    ///
    /// Source: `RE2::PartialMatch` in `ForEachHeader` of Triton 2.51. Case is ignored because
    /// HTTP/2 sends names in lower case, and a pattern such as `X-.*` must still match.
    ///
    /// # Errors
    ///
    /// Returns a [`PatternError`] if the pattern is not a regular expression.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.is_empty() {
            return Ok(Self::default());
        }
        let regex = RegexBuilder::new(pattern).case_insensitive(true).build();
        regex
            .map(|regex| Self(Some(regex)))
            .map_err(|error| PatternError {
                pattern: pattern.to_owned(),
                message: error.to_string(),
            })
    }

    /// Returns whether a header is forwarded.
    pub fn forwards(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(name))
    }

    /// Adds the forwarded headers to the parameters. Names must be in lower case. A parameter is
    /// text, so a binary header is forwarded only if it is text.
    pub fn forward<'a, V: AsRef<[u8]>>(
        &self,
        headers: impl Iterator<Item = (&'a str, V)>,
        parameters: &mut Parameters,
    ) {
        if self.is_empty() {
            return;
        }
        for (name, value) in headers.filter(|(name, _)| self.forwards(name)) {
            let value = String::from_utf8_lossy(value.as_ref()).into_owned();
            parameters.insert(name, ParameterValue::String(value));
        }
    }

    /// Returns the pattern; empty if no header is forwarded.
    pub fn pattern(&self) -> &str {
        self.0.as_ref().map_or("", Regex::as_str)
    }

    /// Returns whether no header is forwarded, so that headers need not be inspected.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_anywhere_in_a_name() {
        let table = [
            ("", "x-a", false),
            ("x-a", "x-a", true),
            ("x-a", "my-x-ab", true),
            ("^x-a$", "x-ab", false),
            ("^(x-a|x-b)$", "x-b", true),
            ("x-a", "x-b", false),
            ("X-.*", "x-request-id", true),
            (".*", "", true),
        ];
        for (pattern, name, expected) in table {
            let forward = HeaderForward::new(pattern).unwrap();
            assert_eq!(forward.forwards(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn invalid_pattern_is_named() {
        for pattern in ["(", "a)(b", "[", "*"] {
            let error = HeaderForward::new(pattern).unwrap_err();
            assert_eq!(error.pattern, pattern);
            assert!(error.to_string().contains(pattern), "{error}");
        }
    }
}
