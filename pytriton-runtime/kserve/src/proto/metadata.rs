use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_protocol::proto::model_metadata_response::TensorMetadata;
use pytriton_protocol::proto::{ModelMetadataResponse, ServerMetadataResponse};

use crate::rest::{PLATFORM, SERVER_METADATA};

/// Returns the metadata of the server.
pub fn server_metadata() -> ServerMetadataResponse {
    ServerMetadataResponse {
        name: SERVER_METADATA.name.to_owned(),
        version: SERVER_METADATA.version.to_owned(),
        extensions: SERVER_METADATA
            .extensions
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
    }
}

/// Returns the inputs and outputs of a model as clients see them.
pub fn metadata(spec: &ModelSpec, versions: &[u32]) -> ModelMetadataResponse {
    let tensors = |tensors: &[TensorSpec]| {
        let tensor = |tensor: &TensorSpec| TensorMetadata {
            name: tensor.name.to_owned().to_string(),
            datatype: tensor.datatype.name().to_owned(),
            shape: spec.client_dims(tensor),
        };
        tensors.iter().map(tensor).collect()
    };
    ModelMetadataResponse {
        name: spec.name.to_owned().to_string(),
        versions: versions.iter().map(u32::to_string).collect(),
        platform: PLATFORM.to_owned(),
        inputs: tensors(&spec.inputs),
        outputs: tensors(&spec.outputs),
    }
}
