use std::mem::take;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};

use crate::kserve::{CodecError, classify};
use crate::memory_budget::MemoryBudget;
use crate::model::ModelSpec;
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_response::InferOutputTensor;
use crate::proto::{InferParameter, ModelInferResponse};
use crate::request::{ParameterValue, Parameters, RequestedOutput, Response};
use crate::shared_memory::Shared;
use crate::tensor::{DataType, Tensor};

/// The parameter of a stream that says whether a response is the last to its request.
pub const FINAL: &str = "triton_final_response";

/// Raw contents of so many bytes are a piece of their own; smaller ones are copied to what stands before them.
const OWN: usize = 16 << 10;

/// The fields of a response, of an output, and of a message of a stream.
const OUTPUTS: u32 = 5;
const RAW_CONTENTS: u32 = 6;
const SHAPE: u32 = 3;
const RESPONSE: u32 = 2;

/// What a key of these fields takes.
const KEY: usize = 1;

/// In which message a response stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// In none but its own.
    None,
    /// In one of a stream, which says whether the response is the last to its request.
    Stream {
        /// Whether it is.
        last: bool,
    },
}

/// How a message was written.
#[derive(Debug, Default)]
pub struct WrittenResponse {
    /// Its bytes.
    pub length: usize,
    /// The first large raw contents, which are not copied, and what stands behind them; nothing where all of it stands where
    /// it was to be written.
    pub others: Vec<Bytes>,
}

/// Writes the responses to one request as messages, their elements as raw contents.
#[derive(Debug, Clone)]
pub struct ResponseWriter {
    /// The fields that all of them have.
    head: Vec<u8>,
    /// One for each output of the model.
    outputs: Vec<OutputWriter>,
    batching: bool,
    shared: Option<Arc<Shared>>,
    /// Where the memory of classes is reserved.
    budget: Arc<MemoryBudget>,
}

/// The field that says so, of a response that is not the last and of one that is.
static MARKS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    [false, true].map(|last| {
        let value = ParameterValue::Bool(last);
        parameters([(FINAL, &value)])
    })
});

#[derive(Debug, Clone)]
struct OutputWriter {
    /// Its name and its datatype.
    head: Vec<u8>,
    /// As how many classes it is to be told.
    classes: Option<usize>,
    /// What its elements are called.
    labels: Arc<str>,
    /// Whether its elements are in shared memory, and not in the message.
    shared: bool,
}

impl ResponseWriter {
    /// For a request of this id that asks for these outputs.
    pub fn new(
        spec: &ModelSpec,
        id: &str,
        requested: &[RequestedOutput],
        shared: Option<&Arc<Shared>>,
        budget: &Arc<MemoryBudget>,
    ) -> Self {
        let head = ModelInferResponse {
            model_name: spec.name.to_string(),
            model_version: spec.version.to_string(),
            id: id.to_owned(),
            ..ModelInferResponse::default()
        };
        let outputs = spec.outputs.iter().enumerate().map(|(index, output)| {
            let classes = classes(&output.name, requested);
            let datatype = classes.map_or(output.datatype, |_| DataType::Bytes);
            let head = InferOutputTensor {
                name: output.name.to_string(),
                datatype: datatype.name().to_owned(),
                ..InferOutputTensor::default()
            };
            OutputWriter {
                head: head.encode_to_vec(),
                classes,
                labels: spec.labels.get(&index).cloned().unwrap_or_default(),
                shared: shared.is_some_and(|shared| shared.has(index)),
            }
        });
        Self {
            head: head.encode_to_vec(),
            outputs: outputs.collect(),
            batching: spec.batching(),
            shared: shared.cloned(),
            budget: Arc::clone(budget),
        }
    }

    /// What of the request is in shared memory.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_deref()
    }

    /// The bytes that are looked through, or written to shared memory, before a response is written.
    pub fn weight(&self, response: &Response) -> usize {
        let takes_time = |output: &OutputWriter| output.classes.is_some() || output.shared;
        match self.outputs.iter().any(takes_time) {
            true => response.bytes(),
            false => 0,
        }
    }

    /// Writes a response behind what is there and so many bytes that are left free.
    ///
    /// # Errors
    ///
    /// [`CodecError::Classification`] when an output of unordered elements is asked for as classes, [`CodecError::Budget`]
    /// if the memory of the classes cannot be reserved.
    pub fn write(
        &self,
        mut response: Response,
        envelope: Envelope,
        free: usize,
        into: &mut Vec<u8>,
    ) -> Result<WrittenResponse, CodecError> {
        for (index, tensor) in &mut *response.outputs {
            if let Some(count) = self.outputs[*index].classes {
                let labels = &self.outputs[*index].labels;
                *tensor = {
                    let permit = self.budget.empty_permit();
                    classify(tensor, self.batching, count, labels, permit)?
                };
            }
        }
        let (parameters, mark) = match envelope {
            Envelope::None => (said(&response.parameters, None), &[][..]),
            Envelope::Stream { last } => (
                said(&response.parameters, Some(FINAL)),
                &*MARKS[usize::from(last)],
            ),
        };
        let mut length = self.head.len() + parameters.len() + mark.len();
        let mut alone = 0;
        for (index, tensor) in &*response.outputs {
            let raw = self.outputs[*index].raw(tensor).len();
            length += KEY + delimited(self.outputs[*index].len(tensor)) + KEY + delimited(raw);
            alone += if raw < OWN { 0 } else { raw };
        }
        let outer = match envelope {
            Envelope::None => length,
            Envelope::Stream { .. } => KEY + delimited(length),
        };
        into.reserve(free + outer - alone);
        into.resize(into.len() + free, 0);
        if outer != length {
            key(RESPONSE, length, into);
        }
        for fields in [&self.head, &parameters, mark] {
            into.extend_from_slice(fields);
        }
        for (index, tensor) in &*response.outputs {
            self.outputs[*index].write(tensor, into);
        }
        let (mut others, mut tail) = (Vec::new(), Vec::new());
        for (index, tensor) in &*response.outputs {
            let data = self.outputs[*index].raw(tensor);
            let place = match others.is_empty() {
                true => &mut *into,
                false => &mut tail,
            };
            key(RAW_CONTENTS, data.len(), place);
            if data.len() < OWN {
                place.extend_from_slice(data);
                continue;
            }
            if !tail.is_empty() {
                others.push(Bytes::from(take(&mut tail)));
            }
            others.push(tensor.data().clone());
        }
        if !tail.is_empty() {
            others.push(Bytes::from(tail));
        }
        Ok(WrittenResponse {
            length: outer,
            others,
        })
    }
}

impl OutputWriter {
    /// What the message has of the elements.
    fn raw<'a>(&self, tensor: &'a Tensor) -> &'a [u8] {
        match self.shared {
            true => &[],
            false => tensor.data(),
        }
    }

    /// The bytes of the output of a tensor.
    fn len(&self, tensor: &Tensor) -> usize {
        let shape = match shape_len(tensor) {
            0 => 0,
            length => KEY + delimited(length),
        };
        self.head.len() + shape
    }

    fn write(&self, tensor: &Tensor, into: &mut Vec<u8>) {
        key(OUTPUTS, self.len(tensor), into);
        into.extend_from_slice(&self.head);
        let shape = shape_len(tensor);
        if shape > 0 {
            key(SHAPE, shape, into);
            for &dim in tensor.shape() {
                encode_varint(dim as u64, into);
            }
        }
    }
}

/// How many classes an output is to be told as: what the first mention that asks for classes says.
fn classes(name: &str, requested: &[RequestedOutput]) -> Option<usize> {
    let mut mentions = requested.iter().filter(|output| output.name == name);
    let mention = mentions.find(|output| output.classification > 0)?;
    Some(mention.classification)
}

/// The field of what a function says beside its outputs, without what is said by others.
fn said(said: &Parameters, but: Option<&str>) -> Vec<u8> {
    if said.is_empty() {
        return Vec::new();
    }
    parameters(said.iter().filter(|(name, _)| Some(*name) != but))
}

fn parameters<'a>(said: impl IntoIterator<Item = (&'a str, &'a ParameterValue)>) -> Vec<u8> {
    let said = said.into_iter();
    let message = ModelInferResponse {
        parameters: said
            .map(|(name, value)| (name.to_owned(), parameter(value)))
            .collect(),
        ..ModelInferResponse::default()
    };
    message.encode_to_vec()
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

/// Begins a field of so many bytes.
fn key(field: u32, length: usize, into: &mut Vec<u8>) {
    encode_key(field, WireType::LengthDelimited, into);
    encode_varint(length as u64, into);
}

/// What so many bytes take with their number before them.
fn delimited(length: usize) -> usize {
    encoded_len_varint(length as u64) + length
}

/// The bytes of a tensor's dims.
fn shape_len(tensor: &Tensor) -> usize {
    let dims = tensor.shape().iter();
    dims.map(|&dim| encoded_len_varint(dim as u64)).sum()
}
