use pytriton_core::shared_memory::Region;

use crate::error::CodecError;
use crate::json::JsonWriter;

use super::document::{members, string, unsigned};

/// A request to register a shared-memory region.
#[derive(Debug, PartialEq, Eq)]
pub struct Registration {
    /// The key of the memory.
    pub key: String,
    /// The offset of the region in the memory.
    pub offset: u64,
    /// The size of the region in bytes.
    pub byte_size: u64,
}

impl Registration {
    /// Decodes a request to register a region of system memory.
    ///
    /// Source: `HTTPAPIServer::HandleSystemSharedMemory` in Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns [`CodecError::NoField`] or [`CodecError::Document`].
    pub fn decode(body: &[u8]) -> Result<Self, CodecError> {
        let [key, offset, byte_size] = members(body, ["key", "offset", "byte_size"])?;
        let key = key.ok_or(CodecError::NoField { field: "key" })?;
        let key = string(key)?.into_owned();
        let offset = offset.map_or(Ok(0), unsigned)?;
        let field = "byte_size";
        let byte_size = byte_size.ok_or(CodecError::NoField { field })?;
        Ok(Self {
            key,
            offset,
            byte_size: unsigned(byte_size)?,
        })
    }
}

/// Encodes the status of a region as JSON.
pub fn region_json(region: &Region) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.name("name").text(region.name());
        json.name("key").text(region.key());
        json.name("offset").integer(region.offset());
        json.name("byte_size").integer(region.byte_size());
    });
    json.finish()
}

/// Encodes the status of several regions as JSON.
pub fn regions_json(regions: &[Vec<u8>]) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.array(regions, |json, region| json.written(region));
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_tritons_texts() {
        let unsigned = "attempt to access JSON non-unsigned-integer as unsigned-integer";
        let key = "Shared memory register request has no 'key' field";
        let table = [
            (r#"{"key":"/a","byte_size":64}"#, ""),
            (
                r#"{"key":"/a","offset":18446744073709551615,"byte_size":1}"#,
                "",
            ),
            ("[]", key),
            (r#"{"byte_size":"x"}"#, key),
            (
                r#"{"key":"/a"}"#,
                "Shared memory register request has no 'byte_size' field",
            ),
            (
                r#"{"key":5,"byte_size":3}"#,
                "attempt to access JSON non-string as string",
            ),
            (r#"{"key":"/a","offset":-1,"byte_size":1}"#, unsigned),
            (r#"{"key":"/a","offset":"x"}"#, unsigned),
            (r#"{"key":"/a","byte_size":1.5}"#, unsigned),
            (r#"{"key":"/a","byte_size":-1}"#, unsigned),
            (r#"{"key":"/a","byte_size":18446744073709551616}"#, unsigned),
            (r#"{"key":"/a","byte_size":null}"#, unsigned),
        ];
        for (text, expected) in table {
            let error = Registration::decode(text.as_bytes()).err();
            let got = error.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(got, expected, "{text}");
        }
    }

    #[test]
    fn regions_are_a_list() {
        let region = || br#"{"name":"a"}"#.to_vec();
        let table = [
            (vec![], "[]"),
            (vec![region()], r#"[{"name":"a"}]"#),
            (vec![region(), region()], r#"[{"name":"a"},{"name":"a"}]"#),
        ];
        for (regions, expected) in table {
            assert_eq!(regions_json(&regions), expected.as_bytes());
        }
    }
}
