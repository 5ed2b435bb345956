use std::sync::{Arc, LazyLock};

use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};
use pytriton_core::free_bytes::FreeBytes;
use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{ParameterValue, Parameters, RequestedOutput, Response};
use pytriton_core::shared_memory::Shared;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_protocol::proto::ModelInferResponse;
use pytriton_protocol::proto::model_infer_response::InferOutputTensor;
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::error::CodecError;
use crate::rest::classify;

/// The parameter of a stream response that marks the last response of a request.
pub const FINAL: &str = "triton_final_response";

/// Raw contents of this size become separate pieces. Smaller ones are copied to the preceding
/// bytes.
const OWN: usize = 16 << 10;

/// The fields of a response, of an output, and of a stream message.
const ID: u32 = 3;
const OUTPUTS: u32 = 5;
const RAW_CONTENTS: u32 = 6;
const SHAPE: u32 = 3;
const RESPONSE: u32 = 2;

/// The size of a key of these fields.
const KEY: usize = 1;

/// The message that contains a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// No other message.
    None,
    /// A stream message, which states whether the response is the last one of its request.
    Stream {
        /// Whether it is the last one.
        last: bool,
    },
}

/// The result of encoding a message.
#[derive(Debug, Default)]
pub struct WrittenResponse {
    /// The size in bytes.
    pub length: usize,
    /// The first large raw contents, which are not copied, and everything after them. Empty if the
    /// whole message was written to the buffer.
    pub others: Vec<TrackedBytes>,
}

/// Encodes the responses to one request as messages with raw contents.
#[derive(Debug, Clone)]
pub struct ResponseWriter {
    /// The fields that are the same in all responses, with the ID of the request.
    head: TrackedBytes,
    /// One for each output of the model.
    outputs: Vec<OutputWriter>,
    batching: bool,
    shared: Option<Arc<Shared>>,
    /// The budget for the memory of messages and classes.
    budget: Arc<MemoryBudget>,
}

/// The encoded field for a response that is not the last one, and for one that is.
static MARKS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    [false, true].map(|last| {
        let value = ParameterValue::Bool(last);
        parameters([(FINAL, &value)])
    })
});

#[derive(Debug, Clone)]
struct OutputWriter {
    /// The name and the datatype.
    head: Vec<u8>,
    /// The number of classes, if classes are requested.
    classes: Option<usize>,
    /// The labels of the elements.
    labels: Arc<str>,
    /// Whether the elements are in shared memory instead of the message.
    shared: bool,
}

impl ResponseWriter {
    /// Creates a writer for a request with this ID and these outputs. The copy of the ID is
    /// reserved.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved.
    pub fn new(
        spec: &ModelSpec,
        id: &str,
        requested: &[RequestedOutput],
        shared: Option<&Arc<Shared>>,
        budget: &Arc<MemoryBudget>,
    ) -> Result<Self, MemoryBudgetError> {
        let model = ModelInferResponse {
            model_name: spec.name.to_string(),
            model_version: spec.version.to_string(),
            ..ModelInferResponse::default()
        };
        let mut head = TrackedBuffer::new(budget.empty_permit());
        head.reserve(model.encoded_len() + KEY + delimited(id.len()))?;
        let mut fields = head.free_mut();
        model.encode_raw(&mut fields.buf_mut());
        if !id.is_empty() {
            key(ID, id.len(), &mut fields);
            fields.extend_from_slice(id.as_bytes());
        }
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
        Ok(Self {
            head: head.freeze(),
            outputs: outputs.collect(),
            batching: spec.batching(),
            shared: shared.cloned(),
            budget: Arc::clone(budget),
        })
    }

    /// Returns an empty permit of the budget that responses count against.
    pub fn empty_permit(&self) -> MemoryPermit {
        self.budget.empty_permit()
    }

    /// Returns the inputs and outputs of the request that are in shared memory.
    pub fn shared(&self) -> Option<&Shared> {
        self.shared.as_deref()
    }

    /// Returns the number of bytes that are scanned, or written to shared memory, to encode a
    /// response.
    pub fn weight(&self, response: &Response) -> usize {
        let takes_time = |output: &OutputWriter| output.classes.is_some() || output.shared;
        match self.outputs.iter().any(takes_time) {
            true => response.bytes(),
            false => 0,
        }
    }

    /// Encodes a response after the existing bytes and `free` bytes that are left free.
    ///
    /// # Errors
    ///
    /// Returns [`CodecError::Classification`] if classes are requested for elements without an
    /// order, or [`CodecError::Budget`] if the memory of the message cannot be reserved.
    pub fn write(
        &self,
        mut response: Response,
        envelope: Envelope,
        free: usize,
        into: &mut TrackedBuffer,
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
        // They are copied to a message and encoded, before they are copied to the buffer.
        let _parameters = match response.parameters.is_empty() {
            true => None,
            false => Some(self.budget.permit(3 * response.parameters.bytes())?),
        };
        let (parameters, mark) = match envelope {
            Envelope::None => (encode_parameters(&response.parameters, None), &[][..]),
            Envelope::Stream { last } => (
                encode_parameters(&response.parameters, Some(FINAL)),
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
        into.reserve(free + outer - alone)?;
        into.resize(into.as_slice().len() + free)?;
        let mut head = into.free_mut();
        if outer != length {
            key(RESPONSE, length, &mut head);
        }
        for fields in [&self.head[..], &parameters, mark] {
            head.extend_from_slice(fields);
        }
        for (index, tensor) in &*response.outputs {
            self.outputs[*index].write(tensor, &mut head);
        }
        let (mut others, mut tail) = (Vec::new(), TrackedBuffer::new(into.sibling()));
        for (index, tensor) in &*response.outputs {
            let data = self.outputs[*index].raw(tensor);
            let copied = if data.len() < OWN { data } else { &[] };
            let place = match others.is_empty() {
                true => &mut *into,
                false => &mut tail,
            };
            place.reserve(KEY + encoded_len_varint(data.len() as u64) + copied.len())?;
            let mut fields = place.free_mut();
            key(RAW_CONTENTS, data.len(), &mut fields);
            fields.extend_from_slice(copied);
            if copied.len() == data.len() {
                continue;
            }
            others.extend(frozen(tail.take()));
            others.push(tensor.tracked_data());
        }
        others.extend(frozen(tail));
        Ok(WrittenResponse {
            length: outer,
            others,
        })
    }
}

/// Returns the bytes of a buffer with their reservation, if there are any.
fn frozen(buffer: TrackedBuffer) -> Option<TrackedBytes> {
    let bytes = buffer.freeze();
    (!bytes.is_empty()).then_some(bytes)
}

impl OutputWriter {
    /// Returns the raw contents in the message.
    fn raw<'a>(&self, tensor: &'a Tensor) -> &'a [u8] {
        match self.shared {
            true => &[],
            false => tensor.data(),
        }
    }

    /// Returns the encoded size of an output.
    fn len(&self, tensor: &Tensor) -> usize {
        let shape = match shape_len(tensor) {
            0 => 0,
            length => KEY + delimited(length),
        };
        self.head.len() + shape
    }

    fn write(&self, tensor: &Tensor, into: &mut FreeBytes<'_>) {
        key(OUTPUTS, self.len(tensor), into);
        into.extend_from_slice(&self.head);
        let shape = shape_len(tensor);
        if shape > 0 {
            key(SHAPE, shape, into);
            for &dim in tensor.shape() {
                encode_varint(dim as u64, &mut into.buf_mut());
            }
        }
    }
}

/// Returns the number of classes of an output. The first entry that requests classes counts.
fn classes(name: &str, requested: &[RequestedOutput]) -> Option<usize> {
    let mut mentions = requested.iter().filter(|output| output.name == name);
    let mention = mentions.find(|output| output.classification > 0)?;
    Some(mention.classification)
}

/// Encodes the response parameters, except those that others write.
fn encode_parameters(response: &Parameters, but: Option<&str>) -> Vec<u8> {
    if response.is_empty() {
        return Vec::new();
    }
    parameters(response.iter().filter(|(name, _)| Some(*name) != but))
}

fn parameters<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a ParameterValue)>) -> Vec<u8> {
    let message = ModelInferResponse {
        parameters: pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.clone().into()))
            .collect(),
        ..ModelInferResponse::default()
    };
    message.encode_to_vec()
}

/// Begins a field of `length` bytes.
fn key(field: u32, length: usize, into: &mut FreeBytes<'_>) {
    let mut into = into.buf_mut();
    encode_key(field, WireType::LengthDelimited, &mut into);
    encode_varint(length as u64, &mut into);
}

/// Returns the size of a field of `length` bytes with its length prefix.
fn delimited(length: usize) -> usize {
    encoded_len_varint(length as u64) + length
}

/// Returns the encoded size of the dims of a tensor.
fn shape_len(tensor: &Tensor) -> usize {
    let dims = tensor.shape().iter();
    dims.map(|&dim| encoded_len_varint(dim as u64)).sum()
}
