use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};

use crate::kserve::HEADER_LENGTH;

use super::super::HttpError;
use super::super::answer::Answer;

/// Says how much of a body is JSON as the KServe API has it: a platform says so in the content type, and nowhere else.
pub(super) fn read(headers: &mut HeaderMap, prefix: &'static str) -> Result<(), HttpError> {
    headers.remove(HEADER_LENGTH);
    let Some(content_type) = headers.get(CONTENT_TYPE) else {
        return Ok(());
    };
    let content_type = String::from_utf8_lossy(content_type.as_bytes());
    let length = match content_type.find(prefix) {
        None => return Ok(()),
        Some(0) => number(&content_type[prefix.len()..]),
        Some(_) => {
            let got = content_type.into_owned();
            return Err(HttpError::BinaryType { prefix, got });
        }
    };
    // Digits and a sign are a header.
    if let Ok(length) = HeaderValue::from_str(&length) {
        headers.insert(HEADER_LENGTH, length);
    }
    Ok(())
}

/// Says so in the content type of an answer.
pub(super) fn write(answer: &mut Answer, prefix: &'static str) {
    let headers = answer.headers_mut();
    let Some(length) = headers.remove(HEADER_LENGTH) else {
        return;
    };
    let length = String::from_utf8_lossy(length.as_bytes());
    if let Ok(content_type) = HeaderValue::from_str(&format!("{prefix}{length}")) {
        headers.insert(CONTENT_TYPE, content_type);
    }
}

/// The number that a text begins with; 0 where there is none.
fn number(text: &str) -> String {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit());
    match &digits[..end.unwrap_or(digits.len())] {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}"),
    }
}
