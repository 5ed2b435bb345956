use crate::error::{CodecError, DocumentError};
use crate::json::Value;

use super::document::{members, present, string, unsigned};

/// A region of GPU memory that a client wants to register.
#[derive(Debug, PartialEq, Eq)]
pub struct GpuHandle;

impl GpuHandle {
    /// The size of a CUDA memory handle in bytes.
    const LENGTH: usize = 64;

    /// Decodes a request to register GPU memory, as far as possible without a GPU.
    ///
    /// Source: `HTTPAPIServer::HandleCudaSharedMemory` in Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns [`CodecError::NoField`], [`CodecError::Document`] or [`CodecError::Handle`].
    pub fn decode(body: &[u8]) -> Result<Self, CodecError> {
        let names = ["raw_handle", "byte_size", "device_id"];
        let [handle, byte_size, device_id] = members(body, names)?;
        let field = "raw_handle";
        let handle = handle.ok_or(CodecError::NoField { field })?;
        if !Value::new(handle).is_object() {
            return Err(DocumentError::Missing { member: "b64" }.into());
        }
        let [text] = members(handle.get().as_bytes(), ["b64"])?;
        let text = string(present("b64", text)?)?;
        unsigned(present("byte_size", byte_size)?)?;
        unsigned(present("device_id", device_id)?)?;
        // Triton's decoder skips everything that is not a base64 digit.
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let digits = text.bytes().filter(is_digit).count();
        match digits * 3 / 4 {
            Self::LENGTH => Ok(Self),
            _ => Err(CodecError::Handle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_tritons_texts() {
        let handle = |length| format!(r#""raw_handle":{{"b64":"{}=="}}"#, "A".repeat(length));
        let table = [
            (
                "[]".to_owned(),
                "Shared memory register request has no 'raw_handle' field",
            ),
            (
                r#"{"raw_handle":{}}"#.to_owned(),
                "attempt to access non-existing object member 'b64'",
            ),
            (
                r#"{"raw_handle":"x"}"#.to_owned(),
                "attempt to access non-existing object member 'b64'",
            ),
            (
                r#"{"raw_handle":{"b64":1}}"#.to_owned(),
                "attempt to access JSON non-string as string",
            ),
            (
                format!("{{{}}}", handle(86)),
                "attempt to access non-existing object member 'byte_size'",
            ),
            (
                format!(r#"{{{},"byte_size":8}}"#, handle(86)),
                "attempt to access non-existing object member 'device_id'",
            ),
            (
                format!(r#"{{{},"byte_size":8,"device_id":0}}"#, handle(80)),
                "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t",
            ),
            (
                format!(r#"{{{},"byte_size":8,"device_id":0}}"#, handle(86)),
                "",
            ),
        ];
        for (text, expected) in table {
            let error = GpuHandle::decode(text.as_bytes()).err();
            let got = error.map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(got, expected, "{text}");
        }
    }
}
