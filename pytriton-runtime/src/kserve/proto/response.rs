use crate::kserve::{CodecError, classify};
use crate::model::ModelSpec;
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_response::InferOutputTensor;
use crate::proto::{InferParameter, ModelInferResponse};
use crate::request::{ParameterValue, RequestedOutput, Response};
use crate::tensor::Tensor;

/// Writes a response, its elements as raw contents.
///
/// # Errors
///
/// [`CodecError::Classification`] when an output of unordered elements is asked for as classes.
pub fn response(
    spec: &ModelSpec,
    id: String,
    requested: &[RequestedOutput],
    response: Response,
) -> Result<ModelInferResponse, CodecError> {
    let mut message = ModelInferResponse {
        model_name: spec.name.to_owned().to_string(),
        model_version: spec.version.to_string(),
        id,
        ..ModelInferResponse::default()
    };
    for (index, tensor) in response.outputs {
        let name = &spec.outputs[index].name.clone();
        let tensor = match classes(name, requested) {
            Some(count) => classify(&tensor, spec.batching(), count)?,
            None => tensor,
        };
        message.outputs.push(output(name, &tensor));
        message.raw_output_contents.push(tensor.data().clone());
    }
    let parameters = response.parameters.iter();
    message.parameters = parameters
        .map(|(name, value)| (name.to_owned(), parameter(value)))
        .collect();
    Ok(message)
}

fn parameter(value: &ParameterValue) -> InferParameter {
    InferParameter {
        parameter_choice: Some(match value {
            ParameterValue::Bool(value) => ParameterChoice::BoolParam(*value),
            ParameterValue::Int64(value) => ParameterChoice::Int64Param(*value),
            ParameterValue::Uint64(value) => ParameterChoice::Uint64Param(*value),
            ParameterValue::Double(value) => ParameterChoice::DoubleParam(*value),
            ParameterValue::String(value) => ParameterChoice::StringParam(value.clone()),
        }),
    }
}

/// How many classes an output is to be told as: what the first mention that asks for classes says.
fn classes(name: &str, requested: &[RequestedOutput]) -> Option<usize> {
    let mut mentions = requested.iter().filter(|output| output.name == name);
    let mention = mentions.find(|output| output.classification > 0)?;
    Some(mention.classification)
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
