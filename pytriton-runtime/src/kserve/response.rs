use std::sync::Arc;

use bytes::Bytes;

use crate::model::{ModelSpec, TensorSpec};
use crate::request::{RequestedOutput, Response};
use crate::tensor::{BytesElements, DataType, Element, Tensor, TensorError};

use super::json::{Float, JsonWriter};
use super::{CodecError, classify};

/// How a client wants to have its response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseFormat {
    id: String,
    /// In the order of the model's outputs.
    outputs: Vec<OutputFormat>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct OutputFormat {
    binary: bool,
    classification: usize,
}

impl ResponseFormat {
    /// The wish for all outputs is heard only where the request lists none, and the first wish for an output counts, as
    /// in Triton.
    pub(super) fn new(
        model: &ModelSpec,
        id: &str,
        requested: &[RequestedOutput],
        binary: bool,
    ) -> Self {
        let format = |name: &str| match requested.iter().find(|output| output.name == name) {
            Some(output) => OutputFormat {
                binary: output.binary.unwrap_or_default(),
                classification: output.classification,
            },
            None => OutputFormat {
                binary,
                classification: 0,
            },
        };
        Self {
            id: id.to_owned(),
            outputs: model
                .outputs
                .iter()
                .map(|output| format(&output.name))
                .collect(),
        }
    }

    /// The bytes of the tensors that are not sent as they are: those that are written as text, or looked through.
    pub(crate) fn text(&self, response: &Response) -> usize {
        let is_text = |output: usize| {
            let format = self.outputs.get(output);
            format.is_none_or(|format| !format.binary || format.classification > 0)
        };
        let outputs = response.outputs.iter();
        let texts = outputs.filter(|(output, _)| is_text(*output));
        texts.map(|(_, tensor)| tensor.data().len()).sum()
    }
}

/// A response as it goes over the wire: JSON, and behind it the outputs that were wanted as binary data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedResponse {
    /// The JSON.
    pub json: Bytes,
    /// The binary data of one output each, none of them empty.
    pub binary: Vec<Bytes>,
}

impl EncodedResponse {
    /// The value of `Content-Type`.
    pub fn content_type(&self) -> &'static str {
        match self.header_length() {
            Some(_) => "application/octet-stream",
            None => "application/json",
        }
    }

    /// The value of `Inference-Header-Content-Length`; `None` for a response without binary data.
    pub fn header_length(&self) -> Option<usize> {
        (!self.binary.is_empty()).then_some(self.json.len())
    }

    /// The parts of the body in their order.
    pub fn into_parts(self) -> impl Iterator<Item = Bytes> {
        std::iter::once(self.json).chain(self.binary)
    }
}

/// Writes a response; binary data is not copied.
///
/// Source: `FinalizeResponse` in Triton 2.51.
///
/// # Errors
///
/// [`CodecError::JsonOutput`] for `FP16` and `BF16` wanted as JSON, [`CodecError::Classification`] for classes of
/// elements that have no order.
pub fn encode_response(
    model: &ModelSpec,
    format: &ResponseFormat,
    response: &Response,
) -> Result<EncodedResponse, CodecError> {
    let mut json = JsonWriter::with_capacity(capacity(format, response));
    let mut binary = Vec::new();
    json.begin(b'{');
    if !format.id.is_empty() {
        json.name("id").text(&format.id);
    }
    json.name("model_name").text(&model.name);
    json.name("model_version")
        .text(itoa::Buffer::new().format(model.version));
    json.name("outputs").begin(b'[');
    for (index, tensor) in &response.outputs {
        let Some(TensorSpec { name, .. }) = model.outputs.get(*index) else {
            continue;
        };
        let output = format.outputs.get(*index).copied().unwrap_or_default();
        let classes;
        let tensor = match output.classification {
            0 => tensor,
            count => {
                classes = classify(tensor, model.batching(), count)?;
                &classes
            }
        };
        json.begin(b'{');
        write_head(&mut json, name, tensor);
        if output.binary {
            json.name("parameters")
                .object(|json| json.name("binary_data_size").integer(tensor.data().len()));
            if !tensor.data().is_empty() {
                binary.push(tensor.data().clone());
            }
        } else {
            json.name("data");
            write_data(&mut json, name, tensor)?;
        }
        json.end(b'}');
    }
    json.end(b']');
    json.end(b'}');
    Ok(EncodedResponse {
        json: Bytes::from(json.finish()),
        binary,
    })
}

fn write_head(json: &mut JsonWriter, name: &str, tensor: &Tensor) {
    json.name("name").text(name);
    json.name("datatype").text(tensor.datatype().name());
    json.name("shape")
        .array(tensor.shape().iter().copied(), JsonWriter::integer);
}

fn write_data(json: &mut JsonWriter, output: &Arc<str>, tensor: &Tensor) -> Result<(), CodecError> {
    let written = match tensor.datatype() {
        DataType::Bool => {
            json.array(tensor.data(), |json, byte| json.boolean(*byte != 0));
            Ok(())
        }
        DataType::Uint8 => integers::<u8>(json, tensor),
        DataType::Uint16 => integers::<u16>(json, tensor),
        DataType::Uint32 => integers::<u32>(json, tensor),
        DataType::Uint64 => integers::<u64>(json, tensor),
        DataType::Int8 => integers::<i8>(json, tensor),
        DataType::Int16 => integers::<i16>(json, tensor),
        DataType::Int32 => integers::<i32>(json, tensor),
        DataType::Int64 => integers::<i64>(json, tensor),
        DataType::Fp32 => floats::<f32>(json, tensor),
        DataType::Fp64 => floats::<f64>(json, tensor),
        DataType::Bytes => strings(json, tensor),
        datatype @ (DataType::Fp16 | DataType::Bf16) => {
            return Err(CodecError::JsonOutput { datatype });
        }
    };
    written.map_err(|source| CodecError::Output {
        output: Arc::clone(output),
        source,
    })
}

fn strings(json: &mut JsonWriter, tensor: &Tensor) -> Result<(), TensorError> {
    json.begin(b'[');
    for element in BytesElements::new(tensor.data()) {
        json.string(element?);
    }
    json.end(b']');
    Ok(())
}

fn integers<T: Element + itoa::Integer + Copy>(
    json: &mut JsonWriter,
    tensor: &Tensor,
) -> Result<(), TensorError> {
    let elements = tensor.elements::<T>()?;
    json.array(elements.iter().copied(), JsonWriter::integer);
    Ok(())
}

fn floats<T: Element + Float>(json: &mut JsonWriter, tensor: &Tensor) -> Result<(), TensorError> {
    let elements = tensor.elements::<T>()?;
    json.array(elements.iter().copied(), JsonWriter::float);
    Ok(())
}

/// Enough for most responses, so that writing them moves no bytes twice.
fn capacity(format: &ResponseFormat, response: &Response) -> usize {
    /// The names, brackets and commas around one output's data.
    const HEAD: usize = 160;

    let output = |(index, tensor): &(usize, Tensor)| {
        let binary = format
            .outputs
            .get(*index)
            .is_some_and(|output| output.binary);
        HEAD + if binary { 0 } else { tensor.data().len() * 3 }
    };
    HEAD + format.id.len() + response.outputs.iter().map(output).sum::<usize>()
}
