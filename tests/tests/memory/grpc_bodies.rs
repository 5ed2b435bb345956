//! gRPC messages that cost the server much more memory than the client.

use crate::bodies::{LARGE_BODY, MANY, TRACED};
use crate::frames::{bytes_field, message, prefix, varint};

/// One message, compressed with gzip.
pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    marked(crate::bodies::gzip(bytes))
}

/// One message, compressed with deflate.
pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    marked(crate::bodies::deflate(bytes))
}

/// One message of compressed bytes.
fn marked(bytes: Vec<u8>) -> Vec<u8> {
    [prefix(1, bytes.len()), bytes].concat()
}

/// An input with one row, followed by the fields after its shape.
fn input(datatype: &str, elements: usize, rest: &[u8]) -> Vec<u8> {
    let shape = [vec![1], varint(elements)].concat();
    let input = [
        bytes_field(1, b"INPUT_1"),
        bytes_field(2, datatype.as_bytes()),
        bytes_field(3, &shape),
        rest.to_vec(),
    ];
    bytes_field(5, &input.concat())
}

/// A request with a row of bytes, with `between` between its input and its raw contents.
pub(crate) fn identity(bytes: usize, between: &[u8]) -> Vec<u8> {
    [
        bytes_field(1, b"I_UINT8"),
        input("UINT8", bytes, &[]),
        between.to_vec(),
        bytes_field(7, &vec![7; bytes]),
    ]
    .concat()
}

/// A request to the traced model with a long ID.
pub(crate) fn traced(id_bytes: usize, bytes: usize) -> Vec<u8> {
    [
        bytes_field(1, TRACED.as_bytes()),
        bytes_field(3, &vec![b'x'; id_bytes]),
        input("INT8", bytes, &[]),
        bytes_field(7, &vec![7; bytes]),
    ]
    .concat()
}

/// The same with a classification as the output.
pub(crate) fn classes(bytes: usize) -> Vec<u8> {
    let count = [vec![2 << 3], varint(1_000_000_000)].concat();
    identity(bytes, &output(&entry(b"classification", &count)))
}

/// The only output with a parameter.
fn output(parameter: &[u8]) -> Vec<u8> {
    let output = [bytes_field(1, b"OUTPUT_1"), bytes_field(2, parameter)].concat();
    bytes_field(6, &output)
}

/// An entry of a map.
fn entry(name: &[u8], value: &[u8]) -> Vec<u8> {
    [bytes_field(1, name), bytes_field(2, value)].concat()
}

/// A request with typed contents in one field.
fn typed(model: &str, datatype: &str, elements: usize, contents: &[u8]) -> Vec<u8> {
    [
        bytes_field(1, model.as_bytes()),
        input(datatype, elements, &bytes_field(5, contents)),
    ]
    .concat()
}

/// Empty strings, which take two bytes each in the message.
pub(crate) fn empty_texts(model: &str, bytes: usize) -> Vec<u8> {
    let texts = [8 << 3 | 2, 0].repeat(bytes / 2);
    typed(model, "BYTES", bytes / 2, &texts)
}

/// Numbers of eight bytes, which take one byte each in the message.
pub(crate) fn packed_numbers(bytes: usize) -> Vec<u8> {
    typed("I_INT64", "INT64", bytes, &bytes_field(3, &vec![1; bytes]))
}

/// Inputs that the model does not have.
pub(crate) fn inputs() -> Vec<u8> {
    let empty = bytes_field(5, &[]);
    [bytes_field(1, b"I_UINT8"), empty.repeat(MANY)].concat()
}

/// Parameters of a request with different names.
pub(crate) fn parameters() -> Vec<u8> {
    let mut request = identity(1, &[]);
    for number in 0..MANY {
        let name = format!("a rather long name {number}");
        request.extend(bytes_field(
            4,
            &entry(name.as_bytes(), &bytes_field(3, &[b'x'; 100])),
        ));
    }
    request
}

/// More raw contents than the model has inputs.
pub(crate) fn raw_contents() -> Vec<u8> {
    let raw = [bytes_field(7, &[7; 4096]), bytes_field(7, &[])].concat();
    [
        bytes_field(1, b"I_UINT8"),
        raw.repeat(LARGE_BODY / raw.len()),
    ]
    .concat()
}

/// A request to `Flow` for `count` responses of `bytes` bytes each.
pub(crate) fn flow(count: u32, bytes: u32) -> Vec<u8> {
    let input = |name: &[u8]| {
        let input = [
            bytes_field(1, name),
            bytes_field(2, b"UINT32"),
            bytes_field(3, &[1, 1]),
        ];
        bytes_field(5, &input.concat())
    };
    [
        bytes_field(1, b"Flow"),
        input(b"count"),
        input(b"bytes"),
        bytes_field(7, &count.to_le_bytes()),
        bytes_field(7, &bytes.to_le_bytes()),
    ]
    .concat()
}

/// Consecutive requests of a stream.
pub(crate) fn stream(request: &[u8], count: usize) -> Vec<u8> {
    message(request).repeat(count)
}

/// A message whose length prefix announces more raw contents than it has.
pub(crate) fn announced(bytes: usize) -> Vec<u8> {
    let head = [bytes_field(1, b"I_UINT8"), input("UINT8", bytes, &[])].concat();
    let raw = [vec![7 << 3 | 2], varint(bytes)].concat();
    [
        prefix(0, head.len() + raw.len() + bytes),
        head,
        raw,
        vec![7; 1000],
    ]
    .concat()
}

/// Settings with different names, with the maximum size of such a call.
pub(crate) fn settings() -> Vec<u8> {
    let mut settings = Vec::new();
    for number in 0_u32.. {
        let [a, b, ..] = number.to_le_bytes();
        let setting = bytes_field(
            1,
            &bytes_field(1, &[b'a' + a % 26, b'a' + b % 26, a % 64 + 48]),
        );
        if settings.len() + setting.len() > 60 << 10 {
            break;
        }
        settings.extend(setting);
    }
    settings
}

/// A load request with a configuration and files.
pub(crate) fn load(bytes: usize) -> Vec<u8> {
    let text = vec![b' '; bytes / 2];
    let file = load_parameter(b"file:1/model.bin", 4, &text);
    [load_of(&text), file].concat()
}

/// A load request with this configuration.
pub(crate) fn load_of(config: &[u8]) -> Vec<u8> {
    let config = load_parameter(b"config", 3, config);
    [bytes_field(2, b"I_UINT8"), config].concat()
}

fn load_parameter(name: &[u8], field: u8, value: &[u8]) -> Vec<u8> {
    bytes_field(3, &entry(name, &bytes_field(field, value)))
}
