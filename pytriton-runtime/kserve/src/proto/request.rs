use std::sync::Arc;
use std::vec;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferInput, InferRequest, RequestId};
use pytriton_core::shared_memory::{Regions, Shared};
use pytriton_core::text::excerpt;
use pytriton_protocol::proto::model_infer_request::InferInputTensor;
use pytriton_protocol::proto::{InferTensorContents, ModelInferRequest};
use pytriton_protocol::tensor::DataType;

use crate::error::ProtoError;

use super::contents::TypedInput;
use super::outputs::output;
use super::parameters::decode_parameters;
use super::region::Place;

/// Converts a message to a request for `spec`. Raw contents are not copied. `memory` covers the
/// decoded message.
///
/// # Errors
///
/// Returns a [`ProtoError`] that names the parameter or the input, in Triton's order and with its
/// messages.
pub fn request(
    message: ModelInferRequest,
    spec: &ModelSpec,
    regions: &Regions,
    memory: MemoryPermit,
) -> Result<InferRequest, ProtoError> {
    let mut request = InferRequest::new(memory);
    decode_parameters(message.parameters, &mut request)?;
    let mut raw = Raw {
        used: !message.raw_input_contents.is_empty(),
        contents: message.raw_input_contents.into_iter(),
    };
    let id = RequestId(message.id);
    let inputs = message.inputs.into_iter();
    let mut shared = Shared::default();
    let inputs = inputs.enumerate().map(|(index, tensor)| {
        if let Some(place) = Place::of(&tensor.name, &tensor.parameters)? {
            check_alone(&tensor, spec)?;
            shared.inputs.push((index, place.section(regions)?));
            return input(&id, tensor, spec, None);
        }
        input(&id, tensor, spec, Some(&mut raw))
    });
    request.inputs = inputs.collect::<Result<_, _>>()?;
    let outputs = message.outputs.into_iter();
    let outputs = outputs.map(|message| output(message, spec, regions, &mut shared));
    request.outputs = outputs.collect::<Result<_, _>>()?;
    request.shared = shared.share();
    request.id = id.0;
    Ok(request)
}

/// The raw contents of a message, which belong to its inputs in order.
#[derive(Debug)]
struct Raw {
    used: bool,
    contents: vec::IntoIter<Bytes>,
}

/// Converts an input. `raw` is `None` if its elements are in shared memory.
fn input(
    id: &RequestId,
    tensor: InferInputTensor,
    spec: &ModelSpec,
    raw: Option<&mut Raw>,
) -> Result<InferInput, ProtoError> {
    let datatype = tensor.datatype.parse().ok();
    let typed = TypedInput {
        name: &tensor.name,
        model: &spec.name,
        datatype,
    };
    let data = match raw {
        Some(raw) => data(&typed, tensor.contents, raw)?,
        None => Bytes::new(),
    };
    let datatype = match (datatype, spec.input_index(&tensor.name)) {
        (Some(datatype), _) => datatype,
        // The element type of an unknown input does not matter.
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

/// Refuses contents in addition to shared memory.
fn check_alone(tensor: &InferInputTensor, spec: &ModelSpec) -> Result<(), ProtoError> {
    match tensor.contents {
        None => Ok(()),
        Some(_) => Err(ProtoError::ContentsBesideRegion {
            input: excerpt(&tensor.name),
            model: Arc::clone(&spec.name),
        }),
    }
}

fn data(
    typed: &TypedInput<'_>,
    contents: Option<InferTensorContents>,
    raw: &mut Raw,
) -> Result<Bytes, ProtoError> {
    let (input, model) = (|| excerpt(typed.name), Arc::clone(typed.model));
    match contents {
        Some(_) if raw.used => Err(ProtoError::ContentsBesideRaw {
            input: input(),
            model,
        }),
        Some(contents) => typed.bytes(contents),
        None => raw.contents.next().ok_or_else(|| ProtoError::NoData {
            input: input(),
            model,
        }),
    }
}
