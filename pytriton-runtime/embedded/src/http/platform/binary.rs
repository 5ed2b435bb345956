use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use pytriton_kserve::HEADER_LENGTH;

use super::super::HttpError;
use super::super::response::HttpResponse;

/// Converts the length of the JSON part from the content type, where a platform puts it, to the
/// header of the KServe API.
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
    // Digits and a sign are valid in a header.
    if let Ok(length) = HeaderValue::from_str(&length) {
        headers.insert(HEADER_LENGTH, length);
    }
    Ok(())
}

/// Moves the length of the JSON part of a response to the content type.
pub(super) fn write(response: &mut HttpResponse, prefix: &'static str) {
    let headers = response.headers_mut();
    let Some(length) = headers.remove(HEADER_LENGTH) else {
        return;
    };
    let length = String::from_utf8_lossy(length.as_bytes());
    if let Ok(content_type) = HeaderValue::from_str(&format!("{prefix}{length}")) {
        headers.insert(CONTENT_TYPE, content_type);
    }
}

/// Returns the number at the beginning of a text, or 0.
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
