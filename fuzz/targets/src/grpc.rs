//! Calls of gRPC: the frames of a body, and the messages in them.

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use prost::{DecodeError, Message};
use pytriton_protocol::proto::*;
use pytriton_runtime::fuzzing::{GrpcServer, every_datatype};
use pytriton_runtime::memory_budget::MemoryBudget;

use crate::Outcome;
use crate::http::DECODER;
use crate::reserved::{UNTRACKED, bounded, reserved};

/// The largest message, as it arrives and after decompression.
const LIMIT: usize = 64 << 10;

static SERVER: LazyLock<Result<GrpcServer, String>> =
    LazyLock::new(|| GrpcServer::new(every_datatype(), LIMIT));

/// The decoder of a thread, and the chunk into which it decompresses.
const DECOMPRESSOR: usize = DECODER + (32 << 10);

/// The values of the header `grpc-encoding`.
const ENCODINGS: [Option<&str>; 3] = [None, Some("gzip"), Some("deflate")];

/// The first four bytes are the number of the method, the encoding, and the sizes of small and
/// large frames, which alternate. The rest is the body of the call. A single frame must have the
/// same messages.
pub(crate) fn grpc(input: &[u8]) -> Outcome {
    let [method, encoding, small, large, body @ ..] = input else {
        return Err("too short".to_owned());
    };
    let server = SERVER.as_ref()?;
    let encoding = ENCODINGS[usize::from(*encoding) % ENCODINGS.len()];
    let body = Bytes::copy_from_slice(body);
    let read = |sizes: [usize; 2]| {
        reserved(UNTRACKED + DECOMPRESSOR, |budget| {
            messages(server, (*method, encoding), frames(&body, sizes), budget)
        })
    };
    let in_one_piece = read([body.len().max(1); 2]);
    let in_pieces = read([1 + usize::from(*small), 1 + 64 * usize::from(*large)]);
    assert_eq!(in_pieces, in_one_piece, "messages depend on the frames");
    in_one_piece.into_iter().try_for_each(|read| read.map(drop))
}

/// Reads and decodes the messages of a call.
fn messages(
    server: &GrpcServer,
    (method, encoding): (u8, Option<&'static str>),
    frames: impl Iterator<Item = Bytes> + Send + 'static,
    budget: &Arc<MemoryBudget>,
) -> Vec<Result<u64, String>> {
    let mut call = match server.call(method.into(), encoding, frames, budget) {
        Ok(call) => call,
        Err(error) => return vec![Err(error)],
    };
    let mut read = Vec::new();
    while let Some(message) = call.read() {
        let decoded = message.and_then(|message| message.decode(server));
        // As in the server, no message is read after an error.
        let failed = decoded.is_err();
        read.push(decoded);
        if failed {
            break;
        }
    }
    read
}

/// Splits a body into frames whose sizes alternate.
fn frames(body: &Bytes, sizes: [usize; 2]) -> impl Iterator<Item = Bytes> + Send + use<> {
    let mut rest = body.clone();
    let mut sizes = sizes.into_iter().cycle();
    std::iter::from_fn(move || {
        let size = sizes.next()?.min(rest.len());
        (size > 0).then(|| rest.split_to(size))
    })
}

/// The largest message for two bytes of input, in a list with twice the capacity.
const PER_BYTE: usize = 1024;

/// Decodes a message of one type and encodes it again.
type Decode = fn(&[u8]) -> Result<(), DecodeError>;

fn decode<M: Message + Default + PartialEq>(bytes: &[u8]) -> Result<(), DecodeError> {
    let message = M::decode(bytes)?;
    drop(message.encode_to_vec());
    Ok(())
}

/// The response messages that have fields, which clients decode with prost.
const RESPONSES: [Decode; 13] = [
    decode::<ServerLiveResponse>,
    decode::<ServerReadyResponse>,
    decode::<ModelReadyResponse>,
    decode::<ServerMetadataResponse>,
    decode::<ModelMetadataResponse>,
    decode::<ModelInferResponse>,
    decode::<ModelStreamInferResponse>,
    decode::<ModelConfigResponse>,
    decode::<ModelStatisticsResponse>,
    decode::<RepositoryIndexResponse>,
    decode::<SystemSharedMemoryStatusResponse>,
    decode::<TraceSettingResponse>,
    decode::<LogSettingsResponse>,
];

/// The first byte is the number of a method, and the rest is a request message. From 128 on, it
/// selects the type of a response message.
pub(crate) fn protobuf(input: &[u8]) -> Outcome {
    let Some((kind, bytes)) = input.split_first() else {
        return Err("empty".to_owned());
    };
    if let Some(response) = kind.checked_sub(128) {
        let decode = RESPONSES[usize::from(response) % RESPONSES.len()];
        // Clients limit the size of a response, and reserve nothing.
        return bounded(bytes, PER_BYTE, decode).map_err(|error| error.to_string());
    }
    let length = u32::try_from(bytes.len()).map_err(|error| error.to_string())?;
    let body = [&[0], &length.to_be_bytes()[..], bytes].concat();
    let body = Bytes::from(body);
    let frames = || frames(&body, [body.len(); 2]);
    let server = SERVER.as_ref()?;
    let read = reserved(UNTRACKED, |budget| {
        messages(server, (*kind, None), frames(), budget)
    });
    read.into_iter().try_for_each(|read| read.map(drop))
}
