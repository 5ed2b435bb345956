use crate::model::ModelSpec;
use crate::request::{Few, RequestedOutput, Response};
use crate::shared_memory::Shared;
use crate::tracked_bytes::TrackedBytes;

/// How a client wants to have its response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseFormat {
    pub(super) id: String,
    /// In the order of the model's outputs.
    pub(super) outputs: Few<OutputFormat>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OutputFormat {
    pub(super) binary: bool,
    pub(super) classification: usize,
    /// Whether its elements are in shared memory, and not in the answer.
    pub(super) shared: bool,
}

impl ResponseFormat {
    /// The wish for all outputs is heard only where the request lists none, and the first wish for an output counts, as
    /// in Triton.
    pub(super) fn new(
        model: &ModelSpec,
        id: &str,
        requested: &[RequestedOutput],
        binary: bool,
        shared: Option<&Shared>,
    ) -> Self {
        let format = |(index, name): (usize, &str)| match requested
            .iter()
            .find(|output| output.name == name)
        {
            Some(output) => OutputFormat {
                binary: output.binary.unwrap_or_default(),
                classification: output.classification,
                shared: shared.is_some_and(|shared| shared.has(index)),
            },
            None => OutputFormat {
                binary,
                ..OutputFormat::default()
            },
        };
        Self {
            id: id.to_owned(),
            outputs: model
                .outputs
                .iter()
                .enumerate()
                .map(|(index, output)| format((index, &output.name)))
                .collect(),
        }
    }

    /// The bytes of the tensors that are not sent as they are: those that are written as text or to shared memory, or looked
    /// through.
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

/// A response as it goes over the wire: JSON, and behind it the outputs that were requested as binary data. All of
/// its bytes are reserved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedResponse {
    /// The JSON.
    pub(crate) json: TrackedBytes,
    /// The binary data of one output each, none of them empty.
    pub(crate) binary: Vec<TrackedBytes>,
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

    /// The JSON.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// The parts of the body in their order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let parts = std::iter::once(&self.json).chain(&self.binary);
        parts.map(|part| &part[..])
    }
}
