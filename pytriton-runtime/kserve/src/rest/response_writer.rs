use std::sync::Arc;

use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{ModelSpec, TensorSpec};
use pytriton_core::request::Response;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_protocol::tensor::{DataType, Tensor};

use crate::error::CodecError;
use crate::json::JsonWriter;

use super::elements::{Brackets, write_elements};
use super::parameter::write_parameter;
use super::{EncodedResponse, ResponseFormat, classify};

/// Encodes the responses of a model. Parts that are the same in all of them are prepared in
/// advance.
#[derive(Debug)]
pub struct ResponseWriter {
    batching: bool,
    /// The members between the ID and the parameters.
    head: Vec<u8>,
    outputs: Vec<OutputWriter>,
}

#[derive(Debug)]
struct OutputWriter {
    name: Arc<str>,
    datatype: DataType,
    /// The labels of the elements.
    labels: Arc<str>,
    /// The beginning of the output up to its shape.
    head: Vec<u8>,
}

impl ResponseWriter {
    /// Creates a writer for a model.
    pub fn new(model: &ModelSpec) -> Self {
        let mut json = JsonWriter::default();
        json.name("model_name").text(&model.name);
        json.name("model_version")
            .text(itoa::Buffer::new().format(model.version));
        let outputs = model.outputs.iter().enumerate().map(|(index, output)| {
            let labels = model.labels.get(&index).cloned();
            OutputWriter::new(output, labels.unwrap_or_default())
        });
        Self {
            batching: model.batching(),
            head: json.finish(),
            outputs: outputs.collect(),
        }
    }

    /// Encodes a response. Binary data is not copied. Memory is reserved with `permit` before it is
    /// allocated.
    ///
    /// Source: `FinalizeResponse` in Triton 2.51.
    ///
    /// # Errors
    ///
    /// Returns [`CodecError::JsonOutput`] if `FP16` or `BF16` is requested as JSON,
    /// [`CodecError::Classification`] if classes are requested for elements without an order, or
    /// [`CodecError::Budget`] if the memory cannot be reserved.
    pub fn write(
        &self,
        format: &ResponseFormat,
        response: &Response,
        permit: MemoryPermit,
    ) -> Result<EncodedResponse, CodecError> {
        let mut json = JsonWriter::reserving(permit, self.capacity(format, response));
        let mut binary = Vec::new();
        json.begin(b'{');
        if !format.id.is_empty() {
            json.name("id").string(&format.id);
        }
        json.written(&self.head);
        if !response.parameters.is_empty() {
            json.name("parameters").object(|json| {
                for (name, value) in response.parameters.iter() {
                    write_parameter(json.key(name), value);
                }
            });
        }
        json.name("outputs").begin(b'[');
        for (index, tensor) in &response.outputs {
            let Some(output) = self.outputs.get(*index) else {
                continue;
            };
            let format = format.outputs.get(*index).copied().unwrap_or_default();
            let classes;
            let tensor = match format.classification {
                0 => tensor,
                count => {
                    classes = {
                        let permit = json.sibling();
                        classify(tensor, self.batching, count, &output.labels, permit)?
                    };
                    &classes
                }
            };
            output.begin(&mut json, tensor);
            if format.shared {
                // The elements are in shared memory.
            } else if format.binary {
                json.name("parameters")
                    .object(|json| json.name("binary_data_size").integer(tensor.data().len()));
                if !tensor.data().is_empty() {
                    binary.push(tensor.tracked_data());
                }
            } else {
                json.name("data");
                write_elements(&mut json, &output.name, tensor, Brackets::Always)?;
            }
            json.end(b'}');
        }
        json.end(b']');
        json.end(b'}');
        Ok(EncodedResponse {
            json: json.finish_reserved()?,
            binary,
        })
    }

    /// Returns an estimate of the size, so that most responses are not moved while they grow.
    fn capacity(&self, format: &ResponseFormat, response: &Response) -> usize {
        /// The names, brackets and commas around the data of one output.
        const HEAD: usize = 160;

        let output = |(index, tensor): &(usize, TrackedTensor)| {
            let format = format.outputs.get(*index);
            let binary = format.is_some_and(|output| output.binary);
            HEAD + if binary { 0 } else { tensor.data().len() * 3 }
        };
        self.head.len() + format.id.len() + response.outputs.iter().map(output).sum::<usize>()
    }
}

impl OutputWriter {
    fn new(output: &TensorSpec, labels: Arc<str>) -> Self {
        let TensorSpec { name, datatype, .. } = output;
        Self {
            name: Arc::clone(name),
            datatype: *datatype,
            labels,
            head: head(name, *datatype),
        }
    }

    /// Begins the object of the output and writes all members before its data.
    fn begin(&self, json: &mut JsonWriter, tensor: &Tensor) {
        match tensor.datatype() == self.datatype {
            true => json.written(&self.head),
            false => json.written(&head(&self.name, tensor.datatype())),
        }
        json.array(tensor.shape().iter().copied(), JsonWriter::integer);
    }
}

fn head(name: &str, datatype: DataType) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.begin(b'{');
    json.name("name").text(name);
    json.name("datatype").text(datatype.name());
    json.name("shape");
    json.finish()
}
