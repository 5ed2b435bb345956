//! Bodies over HTTP, each of which costs a server much more than the client that sends it.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// The bytes of the larger ones: all fit into the budget by themselves.
pub(crate) const LARGE_BODY: usize = 12 << 20;

/// More members and inputs than a request may have are refused at once.
pub(crate) const MANY: usize = 65_000;

/// What inflates to `bytes` of the same kind, and to a little more.
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

/// A request of one row of these elements.
pub(crate) fn infer(datatype: &str, elements: usize, data: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"{datatype}","shape":[1,{elements}],"data":[{data}]}}]}}"#
    )
}

/// A row of as many elements, all alike.
pub(crate) fn row(datatype: &str, element: &str, elements: usize) -> String {
    let mut data = format!("{element},").repeat(elements);
    data.pop();
    infer(datatype, elements, &data)
}

/// Members, each with a name of its own.
pub(crate) fn members(count: usize, value: &str) -> String {
    let members = (0..count).map(|number| format!(r#""a rather long name {number}":{value}"#));
    members.collect::<Vec<_>>().join(",")
}

/// A request with members in the place of the parameters.
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

/// Arrays in each other, as deep as is allowed.
pub(crate) fn nested() -> String {
    let data = "[".repeat(100_000) + &"]".repeat(100_000);
    infer("UINT8", 1, &data)
}

/// A row of binary bytes: the JSON before them, with what is wanted of the output.
pub(crate) fn binary(bytes: usize, output: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{bytes}],"parameters":{{"binary_data_size":{bytes}}}}}],"outputs":[{{"name":"OUTPUT_1","parameters":{{{output}}}}}]}}"#
    )
}

/// A row of bytes in shared memory.
pub(crate) fn shared(region: &str, bytes: usize, output: &str) -> String {
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{bytes}],"parameters":{{"shared_memory_region":"{region}","shared_memory_byte_size":{bytes}}}}}],"outputs":[{{"name":"OUTPUT_1","parameters":{{{output}}}}}]}}"#
    )
}

/// A chat of as many messages.
pub(crate) fn chat(messages: usize, stream: bool) -> String {
    let messages = vec![r#"{"role":"user","content":"\u0001"}"#; messages].join(",");
    format!(r#"{{"model":"Chat","messages":[{messages}],"stream":{stream}}}"#)
}

/// A prompt that takes a sixth of its text, and as much again as it is sent back.
pub(crate) fn prompt(bytes: usize, stream: bool) -> String {
    let prompt = repeated(r"\u0001", bytes);
    format!(r#"{{"model":"Completion","prompt":"{prompt}","stream":{stream}}}"#)
}

/// Rows, each of which is a group of its own.
pub(crate) fn groups() -> String {
    let rows: Vec<_> = (0..MANY).map(|number| number.to_string()).collect();
    format!(
        r#"{{"inputs":[{{"name":"key","datatype":"INT32","shape":[{MANY},1],"data":[{}]}}]}}"#,
        rows.join(",")
    )
}

/// A configuration of so many bytes whose objects take much more when they are parsed.
pub(crate) fn objects(bytes: usize) -> String {
    format!(r#"{{"name":[{}0]}}"#, repeated(r#"{"":0},"#, bytes))
}
