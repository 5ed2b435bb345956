use crate::json::JsonWriter;

/// Encodes an error as JSON.
pub fn error_json(message: &str) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(message.len() + 16);
    json.object(|json| json.name("error").text(message));
    json.finish()
}
