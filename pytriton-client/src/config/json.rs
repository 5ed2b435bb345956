use serde_json::Value;

use crate::ClientError;

use super::model_config::datatype;
use super::{ModelConfig, TensorConfig};

impl ModelConfig {
    /// Parses the response of the `config` route.
    pub(crate) fn from_json(config: &Value) -> Result<Self, ClientError> {
        let name = text(config, "name")?;
        let max_batch_size = number(&config["max_batch_size"]).unwrap_or_default();
        Ok(Self {
            name,
            max_batch_size: u32::try_from(max_batch_size).unwrap_or_default(),
            decoupled: config["model_transaction_policy"]["decoupled"] == true,
            inputs: tensors(&config["input"])?,
            outputs: tensors(&config["output"])?,
            from_metadata: false,
            as_json: false,
        })
    }
}

fn tensors(list: &Value) -> Result<Vec<TensorConfig>, ClientError> {
    list.as_array().into_iter().flatten().map(tensor).collect()
}

fn tensor(member: &Value) -> Result<TensorConfig, ClientError> {
    let name = text(member, "name")?;
    let found = text(member, "data_type")?;
    let unknown =
        || ClientError::protocol(format!("tensor `{name}` has the unknown datatype {found}"));
    let dims = member["dims"].as_array().into_iter().flatten();
    Ok(TensorConfig {
        datatype: datatype(&found).ok_or_else(unknown)?,
        dims: dims.filter_map(number).collect(),
        optional: member["optional"] == true,
        name,
    })
}

fn text(member: &Value, name: &str) -> Result<String, ClientError> {
    let missing =
        || ClientError::protocol(format!("the model's configuration has no string `{name}`"));
    member[name].as_str().map(str::to_owned).ok_or_else(missing)
}

/// Parses a number. The JSON form of protobuf encodes 64-bit numbers as strings.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pytriton_protocol::tensor::DataType;

    #[test]
    fn omitted_fields_have_protobuf_defaults() {
        let config = serde_json::json!({
            "name": "m", "max_batch_size": 4,
            "input": [{"name": "x", "data_type": "TYPE_STRING", "dims": ["-1", 3], "optional": true}],
            "output": [{"name": "y", "data_type": "TYPE_FP32", "dims": []}],
        });
        let config = ModelConfig::from_json(&config).unwrap();
        assert!(config.is_batching_supported() && !config.decoupled);
        assert_eq!(config.inputs[0].datatype, DataType::Bytes);
        assert_eq!(config.inputs[0].dims, [-1, 3]);
        assert!(config.inputs[0].optional && !config.outputs[0].optional);
        let decoupled =
            serde_json::json!({"name": "m", "model_transaction_policy": {"decoupled": true}});
        let config = ModelConfig::from_json(&decoupled).unwrap();
        assert!(config.decoupled && !config.is_batching_supported());
        assert!(ModelConfig::from_json(&serde_json::json!({})).is_err());
    }
}
