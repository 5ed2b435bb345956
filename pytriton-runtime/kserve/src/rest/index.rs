use pytriton_core::text::excerpt;

use crate::error::{CodecError, Owner};
use crate::json::{JsonWriter, Object, Value, parse};

/// Decodes a request for the repository index. Returns whether only ready models are requested.
///
/// # Errors
///
/// Returns a [`CodecError`] if the body is neither empty nor an object with a Boolean `ready`.
pub fn decode_index_request(body: &[u8]) -> Result<bool, CodecError> {
    if body.is_empty() {
        return Ok(false);
    }
    let json = |message| CodecError::Json { message };
    let text = std::str::from_utf8(body).map_err(|error| json(excerpt(&error)))?;
    let object = Object {
        noun: "the request to be an object",
        names: ["ready"],
    };
    let [ready] = parse(text, object).map_err(|error| json(excerpt(&error)))?;
    let Some(ready) = ready.map(Value::new) else {
        return Ok(false);
    };
    ready.boolean().ok_or_else(|| CodecError::Member {
        member: "ready".to_owned(),
        of: Owner::Request,
        expected: "a boolean",
        found: ready.describe(),
    })
}

/// Encodes the repository index as JSON.
///
/// Source: `TRITONSERVER_ServerModelIndex` in Triton 2.51.
pub fn index_json<'a>(entries: impl IntoIterator<Item = IndexLine<'a>>) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.array(entries, |json, line| {
        json.object(|json| {
            json.name("name").text(line.name);
            let Some((version, state, reason)) = line.version else {
                return;
            };
            json.name("version").text(&version.to_string());
            json.name("state").text(state);
            if !reason.is_empty() {
                json.name("reason").text(reason);
            }
        });
    });
    json.finish()
}

/// A model in the index.
#[derive(Debug, Clone, Copy)]
pub struct IndexLine<'a> {
    /// The name of the model.
    pub name: &'a str,
    /// A version, its state, and the reason, which may be empty. `None` if no version has been
    /// loaded yet.
    pub version: Option<(u32, &'static str, &'a str)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_filter_is_read() {
        let table = [
            ("", Ok(false)),
            ("{}", Ok(false)),
            (r#"{"ready":true,"x":[1]}"#, Ok(true)),
            (r#"{"ready":false}"#, Ok(false)),
            ("\u{feff}{\"ready\":true}", Ok(true)),
            (
                r#"{"ready":1}"#,
                Err("unable to parse 'ready': expected a boolean, found 1"),
            ),
            (
                "{",
                Err(
                    "failed to parse the request JSON buffer: EOF while parsing an object at line 1 column 1",
                ),
            ),
        ];
        for (body, expected) in table {
            let got = decode_index_request(body.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(got, expected.map_err(str::to_owned), "{body}");
        }
    }

    #[test]
    fn index_lists_models() {
        let line = |version| IndexLine { name: "m", version };
        let lines = [
            line(None),
            line(Some((1, "READY", ""))),
            line(Some((2, "UNAVAILABLE", "unloaded"))),
        ];
        assert_eq!(
            String::from_utf8(index_json(lines)).unwrap(),
            r#"[{"name":"m"},{"name":"m","version":"1","state":"READY"},{"name":"m","version":"2","state":"UNAVAILABLE","reason":"unloaded"}]"#
        );
        assert_eq!(index_json([]), b"[]");
    }
}
