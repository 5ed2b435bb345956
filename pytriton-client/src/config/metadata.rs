use pytriton_protocol::proto::ModelMetadataResponse;
use pytriton_protocol::proto::model_metadata_response::TensorMetadata;
use pytriton_protocol::tensor::DataType;
use serde_json::Value;

use crate::ClientError;

use super::{ModelConfig, TensorConfig};

impl ModelConfig {
    /// Parses a model's metadata from HTTP.
    pub(crate) fn from_metadata_json(metadata: &Value) -> Result<Self, ClientError> {
        let tensors = |list: &Value| {
            let members = list.as_array().into_iter().flatten();
            let each = members.map(|member| {
                let text = |name: &str| member[name].as_str().unwrap_or_default().to_owned();
                let dims = member["shape"].as_array().into_iter().flatten();
                tensor(
                    text("name"),
                    &text("datatype"),
                    dims.filter_map(Value::as_i64).collect(),
                )
            });
            each.collect::<Result<Vec<_>, _>>()
        };
        let name = metadata["name"].as_str();
        let missing = || ClientError::protocol("the model's metadata has no name");
        Ok(Self::of_metadata(
            name.ok_or_else(missing)?.to_owned(),
            tensors(&metadata["inputs"])?,
            tensors(&metadata["outputs"])?,
        ))
    }

    /// Converts the response of `ModelMetadata`.
    pub(crate) fn from_metadata_proto(
        metadata: ModelMetadataResponse,
    ) -> Result<Self, ClientError> {
        let tensors = |list: Vec<TensorMetadata>| {
            let each = list.into_iter();
            let each = each.map(|member| tensor(member.name, &member.datatype, member.shape));
            each.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self::of_metadata(
            metadata.name,
            tensors(metadata.inputs)?,
            tensors(metadata.outputs)?,
        ))
    }

    fn of_metadata(name: String, inputs: Vec<TensorConfig>, outputs: Vec<TensorConfig>) -> Self {
        Self {
            name,
            max_batch_size: 0,
            decoupled: false,
            inputs,
            outputs,
            from_metadata: true,
            as_json: false,
        }
    }

    /// Returns whether tensors of the given ranks are samples of inputs with one more dimension of
    /// any size, which metadata use for a batch axis.
    pub(crate) fn are_rows<'a>(&self, given: impl IntoIterator<Item = (&'a str, usize)>) -> bool {
        let mut given = given.into_iter();
        given.all(|(name, rank)| {
            let mut inputs = self.inputs.iter();
            let input = inputs.find(|input| input.name == name);
            input.is_some_and(|input| {
                input.dims.first() == Some(&-1) && input.dims.len() == rank + 1
            })
        })
    }
}

fn tensor(name: String, datatype: &str, dims: Vec<i64>) -> Result<TensorConfig, ClientError> {
    let Ok(datatype) = datatype.parse::<DataType>() else {
        return Err(ClientError::protocol(format!(
            "tensor `{name}` has the unknown datatype {datatype}"
        )));
    };
    Ok(TensorConfig {
        name,
        datatype,
        dims,
        optional: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_is_detected_by_its_rank() {
        let metadata = serde_json::json!({"name": "m", "versions": [], "platform": "", "inputs": [
            {"name": "x", "datatype": "FP32", "shape": [-1, 3]},
            {"name": "fixed", "datatype": "BYTES", "shape": [1, 3]}]});
        let config = ModelConfig::from_metadata_json(&metadata).unwrap();
        assert!(config.from_metadata && !config.is_batching_supported());
        assert_eq!(config.inputs[0].dims, [-1, 3]);
        for (given, expected) in [
            (&[("x", 1)][..], true),
            (&[("x", 2)], false),
            (&[("x", 0)], false),
            (&[("fixed", 1)], false),
            (&[("x", 1), ("unknown", 1)], false),
        ] {
            assert_eq!(
                config.are_rows(given.iter().copied()),
                expected,
                "{given:?}"
            );
        }
        assert!(ModelConfig::from_metadata_json(&serde_json::json!({})).is_err());
    }
}
