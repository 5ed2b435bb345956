use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_protocol::proto::model_metadata_response::TensorMetadata;
use pytriton_protocol::proto::{ModelMetadataResponse, ServerMetadataResponse};

use crate::rest::{PLATFORM, SERVER_METADATA};

/// Returns the metadata of a server with this name.
pub fn server_metadata(name: &str) -> ServerMetadataResponse {
    ServerMetadataResponse {
        name: name.to_owned(),
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

#[cfg(test)]
mod tests {
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn a_server_and_its_models_have_the_metadata_of_http() {
        let server = server_metadata("mine");
        assert_eq!(server.name, "mine");
        assert_eq!(server.version, SERVER_METADATA.version);
        assert_eq!(server.extensions, SERVER_METADATA.extensions);
        let spec = IDENTITY.spec().unwrap();
        let model = metadata(&spec, &[1, 3]);
        assert_eq!((&*model.name, &*model.platform), ("Identity", PLATFORM));
        assert_eq!(model.versions, ["1", "3"]);
        for (got, expected) in [(model.inputs, &spec.inputs), (model.outputs, &spec.outputs)] {
            assert_eq!((got.len(), expected.len()), (1, 1));
            assert_eq!(got[0].name, &*expected[0].name);
            assert_eq!(got[0].datatype, expected[0].datatype.name());
            assert_eq!(got[0].shape, spec.client_dims(&expected[0]));
        }
    }
}
