use std::borrow::Cow;

use pytriton_core::text::excerpt;
use serde_json::value::RawValue;

use crate::error::DocumentError;
use crate::json::{Object, Value, parse};

/// Returns these members of an object. A body that is not an object has none.
pub(super) fn members<'a, const N: usize>(
    body: &'a [u8],
    names: [&'static str; N],
) -> Result<[Option<&'a RawValue>; N], DocumentError> {
    let json = |message| DocumentError::Json { message };
    if body.is_empty() {
        return Err(json("The document is empty. at 0".to_owned()));
    }
    let text = std::str::from_utf8(body).map_err(|error| json(excerpt(&error)))?;
    let raw: &RawValue = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))
        .map_err(|error| json(excerpt(&error)))?;
    if !Value::new(raw).is_object() {
        return Ok([None; N]);
    }
    let object = Object {
        noun: "the request to be an object",
        names,
    };
    parse(raw.get(), object).map_err(|error| json(excerpt(&error)))
}

pub(super) fn string(value: &RawValue) -> Result<Cow<'_, str>, DocumentError> {
    let kind = "string";
    Value::new(value)
        .string()
        .ok_or(DocumentError::Kind { kind })
}

pub(super) fn unsigned(value: &RawValue) -> Result<u64, DocumentError> {
    let kind = "unsigned-integer";
    Value::new(value)
        .unsigned()
        .ok_or(DocumentError::Kind { kind })
}

/// Returns a required member.
pub(super) fn present<'a>(
    member: &'static str,
    value: Option<&'a RawValue>,
) -> Result<&'a RawValue, DocumentError> {
    value.ok_or(DocumentError::Missing { member })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_members_are_read() {
        let table = [
            (r#"{"a":1,"b":[2]}"#, Ok(["1", ""])),
            (r#" {"c" : "x", "b": {}} "#, Ok(["", r#""x""#])),
            ("[]", Ok(["", ""])),
            ("5", Ok(["", ""])),
            ("", Err("The document is empty. at 0")),
            ("{", Err("EOF while parsing")),
            (r#"{"a":1}x"#, Err("trailing characters")),
            (r#"{"a":1,"a":1}"#, Err("member 'a' occurs twice")),
        ];
        for (text, expected) in table {
            let got = members(text.as_bytes(), ["a", "c"]);
            let got = got.map(|members| members.map(|raw| raw.map_or("", RawValue::get)));
            match (got, expected) {
                (Ok(got), Ok(expected)) => assert_eq!(got, expected, "{text}"),
                (Err(error), Err(expected)) => {
                    let error = error.to_string();
                    let begins = "failed to parse the request JSON buffer: ";
                    assert!(error.starts_with(begins), "{error}");
                    assert!(error.contains(expected), "{error}");
                }
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
        assert!(members(b"\xff", ["a"]).is_err());
    }

    #[test]
    fn type_errors_match_triton() {
        let [value] = members(br#"{"a":-1}"#, ["a"]).unwrap();
        let value = present("a", value).unwrap();
        assert_eq!(
            string(value).unwrap_err().to_string(),
            "attempt to access JSON non-string as string"
        );
        assert_eq!(
            unsigned(value).unwrap_err().to_string(),
            "attempt to access JSON non-unsigned-integer as unsigned-integer"
        );
        assert_eq!(
            present("b64", None).unwrap_err().to_string(),
            "attempt to access non-existing object member 'b64'"
        );
    }
}
