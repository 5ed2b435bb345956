use std::sync::OnceLock;
use std::time::Duration;

use pytriton_protocol::signature::{ModelSignature, TensorSignature};
use pytriton_protocol::tensor::Tensor;
use pytriton_protocol::typed::{Model, Returned, read_outputs, repeated_shape};

use crate::clients::core::Core;
use crate::config::{ModelConfig, TensorConfig};
use crate::deadline::Deadline;
use crate::{ClientError, Inputs, Outputs};

/// The expected signature, and whether the server has confirmed it.
#[derive(Debug)]
pub(super) struct SignatureCheck {
    pub(super) signature: ModelSignature,
    passed: OnceLock<()>,
}

impl SignatureCheck {
    pub(super) fn new(signature: ModelSignature) -> Self {
        Self {
            signature,
            passed: OnceLock::new(),
        }
    }

    /// Compares the server's model with the expected signature, once.
    pub(super) async fn check(&self, core: &Core) -> Result<(), ClientError> {
        if self.passed.get().is_some() {
            return Ok(());
        }
        self.compare(&*core.config().await?)
    }

    /// Checks the signature for a request. Returns the deadline of the first response, which
    /// includes the comparison.
    pub(super) async fn first(
        &self,
        core: &Core,
        own: Option<Duration>,
    ) -> Result<Option<Deadline>, ClientError> {
        if self.passed.get().is_some() {
            return Ok(None);
        }
        let (config, deadline) = core.begin(own).await?;
        self.compare(&config).map(|()| Some(deadline))
    }

    fn compare(&self, config: &ModelConfig) -> Result<(), ClientError> {
        let found = signature(config);
        let mut changes = match config.from_metadata {
            true => as_in_metadata(&self.signature).changes(&found),
            false => self.signature.changes(&found),
        };
        changes.retain(|change| change.breaking);
        if !changes.is_empty() {
            let model = self.signature.name.clone();
            return Err(ClientError::Signature { model, changes });
        }
        // A concurrent caller has had the same result.
        let _ = self.passed.set(());
        Ok(())
    }

    /// Returns the inputs by name; a value for all rows is repeated for each row.
    pub(super) fn inputs(&self, tensors: &[Option<Tensor>]) -> Result<Inputs, ClientError> {
        let inputs = || self.signature.inputs.iter().zip(tensors);
        let mut rows = inputs().filter(|(input, _)| !input.first_value);
        let rows = rows.find_map(|(_, tensor)| Some(tensor.as_ref()?.rows()));
        let rows = rows.unwrap_or(1);
        let given = inputs().filter_map(|(input, tensor)| Some((input, tensor.as_ref()?)));
        let given = given.map(|(input, tensor)| {
            let tensor = match input.first_value && self.signature.batching() {
                true => {
                    self.must_take(rows)?;
                    repeated(input, tensor, rows)?
                }
                false => tensor.clone(),
            };
            Ok((input.name.clone(), tensor))
        });
        given.collect::<Result<_, _>>().map(Inputs::of)
    }

    /// Refuses more rows than the model accepts, before allocating anything for each row.
    fn must_take(&self, rows: usize) -> Result<(), ClientError> {
        let ModelSignature {
            name,
            max_batch_size: most,
            ..
        } = &self.signature;
        match u32::try_from(rows).is_ok_and(|rows| rows <= *most) {
            true => Ok(()),
            false => Err(ClientError::Inputs {
                message: format!("model {name} takes up to {most} rows, got {rows}"),
            }),
        }
    }

    /// Converts a response to the result type of the model's function.
    pub(super) fn read<M: Model<Outputs: Returned>>(
        &self,
        outputs: &Outputs,
    ) -> Result<<M::Outputs as Returned>::Typed, ClientError> {
        let read = read_outputs::<M::Outputs>(&self.signature.outputs, |name| outputs.tensor(name));
        read.map_err(|(output, source)| ClientError::tensor(output)(source))
    }
}

/// Repeats one value or one row for each row.
fn repeated(input: &TensorSignature, row: &Tensor, rows: usize) -> Result<Tensor, ClientError> {
    let shape = repeated_shape(input, row, rows);
    let tensor = match rows {
        1 => row.reshaped(shape),
        _ => Tensor::new(row.datatype(), shape, row.data().repeat(rows).into()),
    };
    tensor.map_err(ClientError::tensor(&input.name))
}

/// Returns the signature that the server reports, as far as callers depend on it.
fn signature(config: &ModelConfig) -> ModelSignature {
    let tensors = |tensors: &[TensorConfig]| tensors.iter().map(tensor).collect();
    ModelSignature {
        inputs: tensors(&config.inputs),
        outputs: tensors(&config.outputs),
        ..ModelSignature::new(&config.name, config.max_batch_size, config.decoupled)
    }
}

fn tensor(config: &TensorConfig) -> TensorSignature {
    TensorSignature {
        optional: config.optional,
        ..TensorSignature::new(&config.name, config.datatype, &config.dims)
    }
}

/// Returns the part of a signature that metadata contain: names, datatypes and complete shapes,
/// without batching, streaming and optional tensors.
fn as_in_metadata(signature: &ModelSignature) -> ModelSignature {
    let tensor = |tensor: &TensorSignature| {
        let batch = signature.batching().then_some(-1);
        let dims: Vec<i64> = batch.iter().chain(&tensor.dims).copied().collect();
        TensorSignature::new(&tensor.name, tensor.datatype, &dims)
    };
    ModelSignature {
        inputs: signature.inputs.iter().map(tensor).collect(),
        outputs: signature.outputs.iter().map(tensor).collect(),
        ..ModelSignature::new(&signature.name, 0, false)
    }
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::tensor::DataType;

    use super::*;

    #[test]
    fn metadata_is_compared_where_known() {
        let tensor = |name: &str, dims: &[i64]| TensorSignature::new(name, DataType::Fp32, dims);
        let expected = ModelSignature {
            inputs: vec![
                tensor("x", &[3]),
                TensorSignature {
                    optional: true,
                    ..tensor("o", &[-1])
                },
            ],
            outputs: vec![tensor("y", &[])],
            ..ModelSignature::new("m", 8, true)
        };
        let member = |name: &str, datatype: &str, shape: &[i64]| serde_json::json!({"name": name, "datatype": datatype, "shape": shape});
        let breaking = |inputs: &[serde_json::Value]| {
            let metadata = serde_json::json!({"name": "m", "inputs": inputs, "outputs": [member("y", "FP32", &[-1])]});
            let config = ModelConfig::from_metadata_json(&metadata).unwrap();
            let changes = as_in_metadata(&expected).changes(&signature(&config));
            changes.iter().any(|change| change.breaking)
        };
        let optional = member("o", "FP32", &[-1, -1]);
        for (x, expected) in [
            (member("x", "FP32", &[-1, 3]), false),
            (member("x", "FP32", &[-1, 4]), true),
            (member("x", "FP32", &[3]), true),
            (member("x", "INT8", &[-1, 3]), true),
            (member("z", "INT8", &[-1, 3]), true),
        ] {
            assert_eq!(breaking(&[x.clone(), optional.clone()]), expected, "{x}");
        }
        assert!(breaking(&[optional]));
    }
}
