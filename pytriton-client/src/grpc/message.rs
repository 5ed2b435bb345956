use bytes::Bytes;
use pytriton_protocol::proto::model_infer_request::{InferInputTensor, InferRequestedOutputTensor};
use pytriton_protocol::proto::model_infer_response::InferOutputTensor;
use pytriton_protocol::proto::{InferParameter, ModelInferRequest, ModelInferResponse};
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::request::InferRequest;
use crate::{ClientError, Outputs, ParameterValue};

use super::contents;

/// Converts an inference request.
pub(super) fn encode(request: &InferRequest) -> ModelInferRequest {
    let elements = request.inputs.iter();
    let elements = elements.map(|(_, tensor)| tensor.data().clone());
    ModelInferRequest {
        raw_input_contents: elements.collect(),
        ..without_elements(request)
    }
}

/// Converts an inference request without the elements of its inputs.
pub(super) fn without_elements(request: &InferRequest) -> ModelInferRequest {
    let inputs = request.inputs.iter();
    let inputs = inputs.map(|(name, tensor)| InferInputTensor {
        name: name.clone(),
        datatype: tensor.datatype().name().to_owned(),
        // Dimensions of an array in memory never exceed `i64::MAX`.
        shape: tensor
            .shape()
            .iter()
            .map(|dim| i64::try_from(*dim).unwrap_or(i64::MAX))
            .collect(),
        ..InferInputTensor::default()
    });
    let outputs = request.options.outputs.iter();
    let outputs = outputs.map(|name| InferRequestedOutputTensor {
        name: name.clone(),
        ..InferRequestedOutputTensor::default()
    });
    ModelInferRequest {
        model_name: request.model.name.clone(),
        model_version: request.model.version.clone(),
        id: request.id.clone(),
        parameters: request.options.parameters.iter().map(parameter).collect(),
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        raw_input_contents: Vec::new(),
    }
}

fn parameter((name, value): &(String, ParameterValue)) -> (String, InferParameter) {
    let value = match value {
        // Servers expect the signed integer if both a signed and an unsigned one would be possible.
        ParameterValue::Uint64(value) => match i64::try_from(*value) {
            Ok(value) => ParameterValue::Int64(value),
            Err(_) => ParameterValue::Uint64(*value),
        },
        value => value.clone(),
    };
    (name.clone(), value.into())
}

/// Converts an inference response.
pub(super) fn decode(response: ModelInferResponse) -> Result<Outputs, ClientError> {
    let mut raw = response.raw_output_contents.into_iter();
    let outputs = response.outputs.into_iter();
    let tensors = outputs.map(|output| tensor(output, &mut raw));
    let parameters = response.parameters.into_iter();
    Ok(Outputs {
        model_name: response.model_name,
        model_version: response.model_version,
        id: response.id,
        parameters: parameters
            .filter_map(|(name, value)| Some((name, parameter_value(value)?)))
            .collect(),
        tensors: tensors.collect::<Result<_, _>>()?,
    })
}

fn tensor(
    output: InferOutputTensor,
    raw: &mut impl Iterator<Item = Bytes>,
) -> Result<(String, Tensor), ClientError> {
    let name = output.name;
    let wrong = |what: &str| ClientError::protocol(format!("output `{name}` has no {what}"));
    let datatype: DataType = output
        .datatype
        .parse()
        .map_err(|()| wrong("element type"))?;
    let dims = output.shape.into_iter().map(usize::try_from);
    let shape: Vec<usize> = dims.collect::<Result<_, _>>().map_err(|_| wrong("shape"))?;
    let tensor = match (output.contents, raw.next()) {
        // Some servers send raw elements together with empty typed ones.
        (_, Some(data)) => Tensor::new(datatype, shape, data),
        (Some(contents), None) => contents::tensor(datatype, shape, contents),
        (None, None) => return Err(wrong("elements")),
    };
    let tensor = tensor.map_err(ClientError::tensor(&name))?;
    Ok((name, tensor))
}

fn parameter_value(value: InferParameter) -> Option<ParameterValue> {
    value.parameter_choice.map(ParameterValue::from)
}
