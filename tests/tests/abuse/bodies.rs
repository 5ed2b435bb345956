//! Request bodies, built once.

use std::io::Write;
use std::iter;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::frames::{bytes_field, message, prefix, varint};

/// The maximum size of a request.
const ALLOWED: usize = 64 << 20;

/// The number of inputs and parameters.
const MANY: usize = 40_000;

/// The nesting depth of arrays.
const DEPTH: usize = 100_000;

/// The number of elements of a large JSON request.
const ELEMENTS: usize = 200_000;

pub(crate) static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| bomb(ALLOWED - (1 << 20)));
pub(crate) static EXCESS: LazyLock<Vec<u8>> = LazyLock::new(|| bomb(4 * ALLOWED));

/// A compressed gRPC message with more than the limit of `ServerLive`.
pub(crate) static LIVE_BOMB: LazyLock<Vec<u8>> =
    LazyLock::new(|| compressed_message(&[b' '; 64 << 10]));

/// A compressed gRPC message with slightly less than the limit of `TraceSetting`, of settings with
/// empty names.
pub(crate) static SETTINGS_BOMB: LazyLock<Vec<u8>> =
    LazyLock::new(|| compressed_message(&[0x0a, 0].repeat(63 << 9)));

fn compressed_message(bytes: &[u8]) -> Vec<u8> {
    let bytes = gzip([bytes]);
    [prefix(1, bytes.len()), bytes].concat()
}

/// Returns compressed spaces instead of a request.
fn bomb(len: usize) -> Vec<u8> {
    let piece = vec![b' '; 1 << 20];
    gzip(iter::repeat_n(piece.as_slice(), len / piece.len()))
}

fn gzip<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut pieces = pieces.into_iter();
    let written = pieces.try_for_each(|piece| encoder.write_all(piece));
    // Writing to a vector does not fail.
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

pub(crate) static INPUTS: LazyLock<String> = LazyLock::new(|| {
    let inputs = (0..MANY).map(|number| {
        format!(r#"{{"name":"input {number}","datatype":"INT8","shape":[1,1],"data":[1]}}"#)
    });
    format!(r#"{{"inputs":[{}]}}"#, inputs.collect::<Vec<_>>().join(","))
});

pub(crate) static PARAMETERS: LazyLock<String> = LazyLock::new(|| {
    let parameters = (0..5 * MANY).map(|number| format!(r#""parameter {number}":{number}"#));
    let parameters = parameters.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"parameters":{{{parameters}}},"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,1],"data":[1]}}]}}"#
    )
});

pub(crate) static NESTED: LazyLock<String> = LazyLock::new(|| {
    let data = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    format!(r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,1],"data":{data}}}]}}"#)
});

pub(crate) static HEAVY: LazyLock<String> = LazyLock::new(|| {
    let data = vec!["0.12345"; ELEMENTS].join(",");
    format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"FP64","shape":[1,{ELEMENTS}],"data":[{data}]}}]}}"#
    )
});

/// A gRPC message with very many inputs.
pub(crate) static GRPC_INPUTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut request = bytes_field(1, b"I_INT8");
    for number in 0..MANY {
        let name = format!("input {number}");
        let input = [
            bytes_field(1, name.as_bytes()),
            bytes_field(2, b"INT8"),
            vec![0x1a, 2, 1, 1],
        ];
        request.extend(bytes_field(5, &input.concat()));
        request.extend(bytes_field(7, &[1]));
    }
    message(&request)
});

/// Returns a gRPC message whose response has as many bytes as its tensor.
pub(crate) fn grpc_identity(bytes: usize) -> Vec<u8> {
    grpc_request("I_UINT8", &[("INPUT_1", "UINT8", &vec![7; bytes])])
}

/// Returns a gRPC message for the given number of responses with the given number of bytes each.
pub(crate) fn grpc_flow(count: u32, bytes: u32) -> Vec<u8> {
    let [count, bytes] = [count, bytes].map(u32::to_le_bytes);
    grpc_request(
        "Flow",
        &[("count", "UINT32", &count), ("bytes", "UINT32", &bytes)],
    )
}

/// Returns a gRPC message with one row of these elements.
fn grpc_request(model: &str, inputs: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut request = bytes_field(1, model.as_bytes());
    for (name, datatype, bytes) in inputs {
        let size = if *datatype == "UINT32" { 4 } else { 1 };
        let shape = [vec![1], varint(bytes.len() / size)].concat();
        let input = [
            bytes_field(1, name.as_bytes()),
            bytes_field(2, datatype.as_bytes()),
            bytes_field(3, &shape),
        ];
        request.extend(bytes_field(5, &input.concat()));
    }
    for (_, _, bytes) in inputs {
        request.extend(bytes_field(7, bytes));
    }
    message(&request)
}
