use crate::kserve::CodecError;
use crate::model::{ModelSpec, RequestedOutput, Response};
use crate::proto::ModelInferResponse;
use crate::proto::model_infer_response::InferOutputTensor;
use crate::tensor::Tensor;

use super::ProtoError;

/// Writes a response, its elements as raw contents.
///
/// # Errors
///
/// A [`CodecError`] when an output cannot be told as classes.
pub fn response(
    spec: &ModelSpec,
    id: String,
    requested: &[RequestedOutput],
    response: Response,
) -> Result<ModelInferResponse, CodecError> {
    let mut message = ModelInferResponse {
        model_name: spec.name.to_owned(),
        model_version: spec.version.to_string(),
        id,
        ..ModelInferResponse::default()
    };
    for (index, tensor) in response.outputs {
        let name = spec.outputs[index].name;
        if requested
            .iter()
            .any(|output| output.name == name && output.classification > 0)
        {
            return Err(ProtoError::NoClassification { output: name }.into());
        }
        message.outputs.push(output(name, &tensor));
        message.raw_output_contents.push(tensor.data().clone());
    }
    Ok(message)
}

fn output(name: &str, tensor: &Tensor) -> InferOutputTensor {
    // A `usize` that an allocation was made for always fits.
    let dims = tensor.shape().iter();
    InferOutputTensor {
        name: name.to_owned(),
        datatype: tensor.datatype().name().to_owned(),
        shape: dims
            .map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX))
            .collect(),
        ..InferOutputTensor::default()
    }
}
