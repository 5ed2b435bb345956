use pytriton_core::model::{ModelSpec, TensorSpec};

use crate::configuration::BACKEND;
use crate::json::JsonWriter;

/// The metadata of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerMetadata<'a> {
    /// The name of the server.
    pub name: &'a str,
    /// The version of the server.
    pub version: &'static str,
    /// The protocol extensions of Triton that this server supports.
    pub extensions: &'static [&'static str],
}

/// The metadata of the Triton version with the same behavior.
pub const SERVER_METADATA: ServerMetadata<'static> = ServerMetadata {
    name: "triton",
    version: "2.51.0",
    extensions: &[
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
    ],
};

impl<'a> ServerMetadata<'a> {
    /// Returns the metadata of a server with this name.
    pub fn named(name: &'a str) -> Self {
        Self {
            name,
            ..SERVER_METADATA
        }
    }

    /// Encodes the metadata as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = JsonWriter::default();
        json.object(|json| {
            json.name("name").text(self.name);
            json.name("version").text(self.version);
            json.name("extensions")
                .array(self.extensions, |json, name| json.text(name));
        });
        json.finish()
    }
}

/// The platform in metadata and statistics.
pub const PLATFORM: &str = BACKEND;

/// Encodes the metadata of a model as JSON, with its served versions.
pub fn metadata_json(model: &ModelSpec, versions: &[u32]) -> Vec<u8> {
    let tensors = |json: &mut JsonWriter, tensors: &[TensorSpec]| {
        json.array(tensors, |json, tensor| {
            json.object(|json| {
                json.name("name").text(&tensor.name);
                json.name("datatype").text(tensor.datatype.name());
                json.name("shape")
                    .array(model.client_dims(tensor), JsonWriter::integer);
            });
        });
    };
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.name("name").text(&model.name);
        json.name("versions")
            .array(versions, |json, version| json.text(&version.to_string()));
        json.name("platform").text(PLATFORM);
        tensors(json.name("inputs"), &model.inputs);
        tensors(json.name("outputs"), &model.outputs);
    });
    json.finish()
}

/// Encodes the readiness of a model, as in the Open Inference Protocol.
pub fn ready_json(name: &str) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(32 + name.len());
    json.object(|json| {
        json.name("name").text(name);
        json.name("ready").boolean(true);
    });
    json.finish()
}

#[cfg(test)]
mod tests {
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn server_metadata_lists_extensions() {
        let expected = br#"{"name":"triton","version":"2.51.0","extensions":["classification","sequence","model_repository","model_repository(unload_dependents)","schedule_policy","model_configuration","system_shared_memory","cuda_shared_memory","binary_tensor_data","parameters","statistics","trace","logging"]}"#;
        assert_eq!(SERVER_METADATA.to_json(), expected);
    }

    #[test]
    fn members_are_in_the_order_of_triton() {
        let spec = IDENTITY.spec().unwrap();
        assert_eq!(
            String::from_utf8(metadata_json(&spec, &[1, 3])).unwrap(),
            r#"{"name":"Identity","versions":["1","3"],"platform":"pytriton","inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[-1,-1]}],"outputs":[{"name":"OUTPUT_1","datatype":"FP32","shape":[-1,-1]}]}"#
        );
    }
}
