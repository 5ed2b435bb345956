use crate::kserve::PLATFORM;
use crate::model::{ModelSpec, TensorSpec};
use crate::proto::model_metadata_response::TensorMetadata;
use crate::proto::{ModelMetadataResponse, ServerMetadataResponse};

/// What the server is: a Triton of the version whose behaviour it has.
pub fn server_metadata() -> ServerMetadataResponse {
    ServerMetadataResponse {
        name: "triton".to_owned(),
        version: "2.51.0".to_owned(),
        extensions: EXTENSIONS.map(str::to_owned).to_vec(),
    }
}

/// The inputs and outputs of a model, as clients see them.
pub fn metadata(spec: &ModelSpec, versions: &[u32]) -> ModelMetadataResponse {
    let tensors = |tensors: &[TensorSpec]| {
        let tensor = |tensor: &TensorSpec| TensorMetadata {
            name: tensor.name.to_owned(),
            datatype: tensor.datatype.name().to_owned(),
            shape: spec.client_dims(tensor),
        };
        tensors.iter().map(tensor).collect()
    };
    ModelMetadataResponse {
        name: spec.name.to_owned(),
        versions: versions.iter().map(u32::to_string).collect(),
        platform: PLATFORM.to_owned(),
        inputs: tensors(&spec.inputs),
        outputs: tensors(&spec.outputs),
    }
}

/// The extensions that Triton 2.51 names.
const EXTENSIONS: [&str; 13] = [
    "classification",
    "sequence",
    "model_repository",
    "model_repository(unload_dependents)",
    "schedule_policy",
    "model_configuration",
    "system_shared_memory",
    "cuda_shared_memory",
    "binary_tensor_data",
    "parameters",
    "statistics",
    "trace",
    "logging",
];
