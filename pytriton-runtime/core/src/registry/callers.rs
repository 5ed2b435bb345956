//! The signature of a model for its callers.

use pytriton_protocol::signature::{LockFile, ModelSignature, TensorSignature};

use crate::model::{ModelSpec, OutputOverride, TensorDeclaration, TensorSpec};

use super::outputs::overridden;
use super::specify::dims;
use super::{ModelOptions, Registry, Signature};

/// The signature of a model, called by generated code.
pub fn callers_signature(
    options: &ModelOptions<'_>,
    signature: &Signature,
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
) -> ModelSignature {
    let tensor = |declared: &TensorDeclaration| TensorSignature {
        optional: declared.optional,
        ..TensorSignature::new(
            declared.name,
            declared.datatype,
            &dims(declared, options.batching),
        )
    };
    let max_batch_size = match options.batching {
        true => options.max_batch_size,
        false => 0,
    };
    let mut model = ModelSignature::new(options.name, max_batch_size, signature.decoupled);
    model.sequences = options.sequence_batching.is_some();
    model.inputs = signature.inputs().iter().map(tensor).collect();
    for value in signature.first_values() {
        model.inputs[value.input].first_value = true;
    }
    let outputs = outputs.iter().enumerate();
    let outputs = outputs.map(|(index, output)| tensor(&overridden(*output, overrides, index)));
    model.outputs = outputs.collect();
    model
}

impl ModelSpec {
    /// The model's signature for its callers.
    pub fn signature(&self) -> ModelSignature {
        let tensor = |tensor: &TensorSpec| TensorSignature {
            optional: tensor.optional,
            ..TensorSignature::new(&tensor.name, tensor.datatype, &tensor.dims)
        };
        let mut model = ModelSignature::new(&self.name, self.max_batch_size, self.decoupled);
        model.sequences = self.sequence_batching().is_some();
        model.inputs = self.inputs.iter().map(tensor).collect();
        for value in &self.first_values {
            model.inputs[value.input].first_value = true;
        }
        model.outputs = self.outputs.iter().map(tensor).collect();
        model
    }
}

impl Registry {
    /// The signatures of the served models.
    pub fn lock(&self) -> LockFile {
        let served = self.served();
        let models = served.iter().map(|spec| (spec.version, spec.signature()));
        LockFile {
            models: models.collect(),
        }
    }
}
