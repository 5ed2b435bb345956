//! HTTP bodies that cost the server much more memory than the client.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// The size of the large bodies. Each fits into the budget alone.
pub(crate) const LARGE_BODY: usize = 12 << 20;

/// The size of bodies that fit into the budget many times at the same time.
pub(crate) const SOME_BYTES: usize = 1 << 20;

/// The number of members and inputs, just below the limit of a request.
pub(crate) const MANY: usize = 65_000;

/// The model whose requests are all traced with their tensors.
pub(crate) const TRACED: &str = "I_INT8";

/// Returns `piece`, repeated to about `bytes` bytes.
pub(crate) fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // A vector takes all that is written to it.
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

/// A request with one row of these elements.
pub(crate) fn infer(datatype: &str, elements: usize, data: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"{datatype}","shape":[1,{elements}],"data":[{data}]}}]}}"#
    )
}

/// The same, with a binary response.
pub(crate) fn infer_binary(datatype: &str, elements: usize, data: &str) -> String {
    let json = infer(datatype, elements, data);
    let inputs = json.strip_suffix('}').unwrap_or_default();
    format!(r#"{inputs},"parameters":{{"binary_data_output":true}}}}"#)
}

/// A request with a row of equal elements.
pub(crate) fn row(datatype: &str, element: &str, elements: usize) -> String {
    let mut data = format!("{element},").repeat(elements);
    data.pop();
    infer(datatype, elements, &data)
}

/// Members with different names.
pub(crate) fn members(count: usize, value: &str) -> String {
    let members = (0..count).map(|number| format!(r#""a rather long name {number}":{value}"#));
    members.collect::<Vec<_>>().join(",")
}

/// A request with these members as its parameters.
pub(crate) fn parameters(members: &str) -> String {
    format!(
        r#"{{"parameters":{{{members}}},"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,1],"data":[1]}}]}}"#
    )
}

/// Inputs that the model does not have.
pub(crate) fn inputs() -> String {
    let inputs = (0..MANY).map(|number| {
        format!(r#"{{"name":"{number}","datatype":"INT8","shape":[1,1],"data":[1]}}"#)
    });
    format!(r#"{{"inputs":[{}]}}"#, inputs.collect::<Vec<_>>().join(","))
}

/// Outputs that the model does not have.
pub(crate) fn outputs() -> String {
    let outputs = (0..MANY).map(|number| format!(r#"{{"name":"{number}"}}"#));
    let outputs = outputs.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"outputs":[{outputs}],"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,1],"data":[1]}}]}}"#
    )
}

/// Nested arrays with the maximum depth.
pub(crate) fn nested() -> String {
    let data = "[".repeat(100_000) + &"]".repeat(100_000);
    infer("UINT8", 1, &data)
}

/// The JSON header of a row of binary data, with a requested output.
pub(crate) fn binary(bytes: usize, output: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{bytes}],"parameters":{{"binary_data_size":{bytes}}}}}],"outputs":[{{"name":"OUTPUT_1","parameters":{{{output}}}}}]}}"#
    )
}

/// The JSON of a request to the traced model with a long ID, and as many elements.
pub(crate) fn traced(id_bytes: usize, elements: usize) -> String {
    let id = "x".repeat(id_bytes);
    let request = row("INT8", "1", elements);
    request.replacen('{', &format!(r#"{{"id":"{id}","#), 1)
}

/// A row of bytes in shared memory.
pub(crate) fn shared(region: &str, bytes: usize, output: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{bytes}],"parameters":{{"shared_memory_region":"{region}","shared_memory_byte_size":{bytes}}}}}],"outputs":[{{"name":"OUTPUT_1","parameters":{{{output}}}}}]}}"#
    )
}

/// A chat with this many messages.
pub(crate) fn chat(messages: usize, stream: bool) -> String {
    let messages = vec![r#"{"role":"user","content":"\u0001"}"#; messages].join(",");
    format!(r#"{{"model":"Chat","messages":[{messages}],"stream":{stream}}}"#)
}

/// A prompt of escaped characters, which take six bytes each in the request and the response.
pub(crate) fn prompt(bytes: usize, stream: bool) -> String {
    let prompt = repeated(r"\u0001", bytes);
    format!(r#"{{"model":"Completion","prompt":"{prompt}","stream":{stream}}}"#)
}

/// Rows with different keys, so that each row is a group.
pub(crate) fn groups() -> String {
    let rows: Vec<_> = (0..MANY).map(|number| number.to_string()).collect();
    format!(
        r#"{{"inputs":[{{"name":"key","datatype":"INT32","shape":[{MANY},1],"data":[{}]}}]}}"#,
        rows.join(",")
    )
}

/// A configuration of this many bytes whose parsed objects take much more memory.
pub(crate) fn objects(bytes: usize) -> String {
    format!(r#"{{"name":[{}0]}}"#, repeated(r#"{"":0},"#, bytes))
}
