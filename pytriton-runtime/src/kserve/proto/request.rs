use std::collections::BTreeMap;
use std::sync::Arc;
use std::vec;

use bytes::Bytes;

use crate::model::ModelSpec;
use crate::proto::model_infer_request::InferInputTensor;
use crate::proto::{InferParameter, InferTensorContents, ModelInferRequest};
use crate::request::{InferInput, InferRequest, RequestId};
use crate::tensor::DataType;
use crate::text::excerpt;

use super::ProtoError;
use super::contents::TypedInput;
use super::outputs::output;
use super::parameters::{RequestParameters, parameters};
use super::region::{region, unknown};

/// Reads a message as a request for `spec`; raw contents are not copied.
///
/// # Errors
///
/// A [`ProtoError`] that names the parameter or the input, in Triton's order and with Triton's words.
pub fn request(message: ModelInferRequest, spec: &ModelSpec) -> Result<InferRequest, ProtoError> {
    let RequestParameters {
        parameters,
        timeout_microseconds,
        priority,
        sequence,
    } = parameters(message.parameters)?;
    let mut raw = Raw {
        used: !message.raw_input_contents.is_empty(),
        contents: message.raw_input_contents.into_iter(),
    };
    let id = RequestId(message.id);
    let inputs = message.inputs.into_iter();
    let inputs = inputs.map(|tensor| input(&id, tensor, spec, &mut raw));
    let inputs = inputs.collect::<Result<_, _>>()?;
    let outputs = message.outputs.into_iter().map(output);
    let outputs = outputs.collect::<Result<_, _>>()?;
    Ok(InferRequest {
        id: id.0,
        parameters,
        timeout_microseconds,
        priority,
        sequence,
        inputs,
        outputs,
        held: None,
        trace: None,
    })
}

/// The raw contents of a message, which belong to its inputs in their order.
#[derive(Debug)]
struct Raw {
    used: bool,
    contents: vec::IntoIter<Bytes>,
}

fn input(
    id: &RequestId,
    tensor: InferInputTensor,
    spec: &ModelSpec,
    raw: &mut Raw,
) -> Result<InferInput, ProtoError> {
    let datatype = tensor.datatype.parse().ok();
    let typed = TypedInput {
        name: &tensor.name,
        model: &spec.name,
        datatype,
    };
    let data = data(&typed, &tensor.parameters, tensor.contents, raw)?;
    let datatype = match (datatype, spec.input_index(&tensor.name)) {
        (Some(datatype), _) => datatype,
        // Of a name that the model has not, the element type is not looked at.
        (None, None) => DataType::Bytes,
        (None, Some(index)) => {
            return Err(ProtoError::DataType {
                request: RequestId(excerpt(&id.0)),
                input: excerpt(&tensor.name),
                model: Arc::clone(&spec.name),
                expected: spec.inputs[index].datatype,
            });
        }
    };
    Ok(InferInput {
        name: tensor.name,
        datatype,
        shape: tensor.shape,
        data,
    })
}

fn data(
    typed: &TypedInput<'_>,
    parameters: &BTreeMap<String, InferParameter>,
    contents: Option<InferTensorContents>,
    raw: &mut Raw,
) -> Result<Bytes, ProtoError> {
    let (input, model) = (|| excerpt(typed.name), Arc::clone(typed.model));
    match (region(typed.name, parameters)?, contents) {
        (Some(region), None) => Err(unknown(region)),
        (Some(_), Some(_)) => Err(ProtoError::ContentsBesideRegion {
            input: input(),
            model,
        }),
        (None, Some(_)) if raw.used => Err(ProtoError::ContentsBesideRaw {
            input: input(),
            model,
        }),
        (None, Some(contents)) => typed.bytes(contents),
        (None, None) => raw.contents.next().ok_or_else(|| ProtoError::NoData {
            input: input(),
            model,
        }),
    }
}
