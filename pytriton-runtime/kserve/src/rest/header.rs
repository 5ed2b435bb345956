use pytriton_core::text::excerpt;

use crate::error::CodecError;

/// The HTTP header with the length of the JSON part of a body.
pub const HEADER_LENGTH: &str = "inference-header-content-length";

/// Returns the length of the JSON part: the whole body if the header is missing, and 0 for a raw
/// request.
///
/// # Errors
///
/// Returns [`CodecError::HeaderLength`] if the value is not a number, or
/// [`CodecError::HeaderLengthRange`] if it exceeds the body.
///
/// # Examples
///
/// ```
/// # use pytriton_kserve::header_length;
/// assert_eq!(header_length(None, 7), Ok(7));
/// assert_eq!(header_length(Some("3"), 7), Ok(3));
/// assert!(header_length(Some("8"), 7).is_err());
/// ```
pub fn header_length(value: Option<&str>, content_length: usize) -> Result<usize, CodecError> {
    let Some(value) = value else {
        return Ok(content_length);
    };
    let got = excerpt(value);
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(CodecError::HeaderLength { got });
    }
    match value.parse() {
        Ok(length) if length <= content_length => Ok(length),
        _ => Err(CodecError::HeaderLengthRange {
            content_length,
            got,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_header_length_is_reported() {
        let table = [
            (
                "-1",
                "inference header size should be in range (0, 7), got: -1",
            ),
            (
                "99999999999999999999999",
                "inference header size should be in range (0, 7), got: 99999999999999999999999",
            ),
            ("abc", "inference header size must be a number, got: abc"),
            ("1.5", "inference header size must be a number, got: 1.5"),
            ("", "inference header size must be a number, got: "),
            ("+1", "inference header size must be a number, got: +1"),
        ];
        for (value, expected) in table {
            assert_eq!(
                header_length(Some(value), 7).unwrap_err().to_string(),
                expected
            );
        }
    }

    #[test]
    fn a_long_value_is_not_repeated_in_full() {
        for value in ["x".repeat(60_000), "9".repeat(60_000)] {
            let error = header_length(Some(&value), 7).unwrap_err();
            assert!(error.to_string().len() < 2048);
        }
    }

    #[test]
    fn the_json_part_may_take_the_whole_body_or_none_of_it() {
        for (value, expected) in [(None, 7), (Some("0"), 0), (Some("3"), 3), (Some("7"), 7)] {
            assert_eq!(header_length(value, 7), Ok(expected));
        }
        for value in ["8", "-0"] {
            assert!(header_length(Some(value), 7).is_err(), "{value}");
        }
    }
}
