//! Messages of gRPC calls.

use std::sync::{Arc, LazyLock};

use prost::{DecodeError, Message};
use pytriton_protocol::proto::*;
use pytriton_runtime::fuzzing;
use pytriton_runtime::model::ModelSpec;

use crate::Outcome;
use crate::bound::Bound;

static EVERY: LazyLock<Arc<ModelSpec>> = LazyLock::new(fuzzing::every_datatype);

/// Decodes a message of one type and encodes it again.
type Decode = fn(&[u8]) -> Result<(), DecodeError>;

fn decode<M: Message + Default + PartialEq>(bytes: &[u8]) -> Result<(), DecodeError> {
    let message = M::decode(bytes)?;
    drop(message.encode_to_vec());
    Ok(())
}

/// Every message of the service that has fields, except the inference request.
const MESSAGES: [Decode; 28] = [
    decode::<ModelReadyRequest>,
    decode::<ModelMetadataRequest>,
    decode::<ModelConfigRequest>,
    decode::<ModelStatisticsRequest>,
    decode::<RepositoryIndexRequest>,
    decode::<RepositoryModelLoadRequest>,
    decode::<RepositoryModelUnloadRequest>,
    decode::<SystemSharedMemoryStatusRequest>,
    decode::<SystemSharedMemoryRegisterRequest>,
    decode::<SystemSharedMemoryUnregisterRequest>,
    decode::<CudaSharedMemoryStatusRequest>,
    decode::<CudaSharedMemoryRegisterRequest>,
    decode::<CudaSharedMemoryUnregisterRequest>,
    decode::<TraceSettingRequest>,
    decode::<LogSettingsRequest>,
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

/// An empty map entry, or a message without fields, takes two bytes and becomes a few hundred.
const DECODED: Bound = Bound::per_byte(512);

/// The first byte selects the type of the message. From 128 on, it is an inference request that
/// arrives in chunks of `byte - 128` bytes.
pub(crate) fn protobuf(input: &[u8]) -> Outcome {
    let Some((kind, bytes)) = input.split_first() else {
        return Err("empty".to_owned());
    };
    DECODED.check(bytes.len(), || match kind.checked_sub(128) {
        Some(piece) => fuzzing::infer_message(&EVERY, bytes, piece.into()),
        None => {
            let decode = MESSAGES[usize::from(*kind) % MESSAGES.len()];
            decode(bytes).map_err(|error| error.to_string())
        }
    })
}
