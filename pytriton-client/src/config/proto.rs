use pytriton_protocol::proto;

use crate::ClientError;

use super::model_config::datatype;
use super::{ModelConfig, TensorConfig};

impl ModelConfig {
    /// Converts the response of `ModelConfig`.
    pub(crate) fn from_proto(config: proto::ModelConfig) -> Result<Self, ClientError> {
        let policy = config.model_transaction_policy.unwrap_or_default();
        let inputs = config.input.into_iter();
        let inputs = inputs.map(|it| tensor(it.name, it.data_type, it.dims, it.optional));
        let outputs = config.output.into_iter();
        let outputs = outputs.map(|it| tensor(it.name, it.data_type, it.dims, false));
        Ok(Self {
            name: config.name,
            max_batch_size: u32::try_from(config.max_batch_size).unwrap_or_default(),
            decoupled: policy.decoupled,
            inputs: inputs.collect::<Result<_, _>>()?,
            outputs: outputs.collect::<Result<_, _>>()?,
            from_metadata: false,
            as_json: false,
        })
    }
}

fn tensor(
    name: String,
    number: i32,
    dims: Vec<i64>,
    optional: bool,
) -> Result<TensorConfig, ClientError> {
    let known = proto::DataType::try_from(number).ok();
    let Some(datatype) = known.and_then(|known| datatype(known.as_str_name())) else {
        return Err(ClientError::protocol(format!(
            "tensor `{name}` has the unknown datatype {number}"
        )));
    };
    Ok(TensorConfig {
        name,
        datatype,
        dims,
        optional,
    })
}
