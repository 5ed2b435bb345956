use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{RequestedOutput, Response, SmallVec};
use pytriton_core::shared_memory::Shared;
use pytriton_core::tracked_bytes::TrackedBytes;

/// The format of a response requested by the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseFormat {
    pub(super) id: TrackedBytes,
    /// The outputs in the order of the model.
    pub(super) outputs: SmallVec<OutputFormat>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OutputFormat {
    pub(super) binary: bool,
    pub(super) classification: usize,
    /// Whether the elements are in shared memory instead of the response.
    pub(super) shared: bool,
}

impl ResponseFormat {
    /// Creates a format. As in Triton, the default for all outputs applies only if the request
    /// lists none, and the first entry of an output counts. The copy of the ID is reserved in the
    /// budget of `permit`.
    pub(super) fn new(
        model: &ModelSpec,
        id: &str,
        requested: &[RequestedOutput],
        binary: bool,
        shared: Option<&Shared>,
        permit: &MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
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
        Ok(Self {
            id: TrackedBytes::copied(id.as_bytes(), permit)?,
            outputs: model
                .outputs
                .iter()
                .enumerate()
                .map(|(index, output)| format((index, &output.name)))
                .collect(),
        })
    }

    /// Returns the number of bytes that are written as text or to shared memory, or scanned,
    /// instead of being sent unchanged.
    #[inline]
    pub fn text(&self, response: &Response) -> usize {
        let is_text = |output: usize| {
            let format = self.outputs.get(output);
            format.is_none_or(|format| !format.binary || format.classification > 0)
        };
        let outputs = response.outputs.iter();
        let texts = outputs.filter(|(output, _)| is_text(*output));
        texts.map(|(_, tensor)| tensor.data().len()).sum()
    }
}

/// An encoded response: JSON, followed by the outputs that were requested as binary data. All bytes
/// are reserved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedResponse {
    /// The JSON part.
    pub json: TrackedBytes,
    /// The binary data of each output, without empty ones.
    pub binary: Vec<TrackedBytes>,
}

impl EncodedResponse {
    /// Returns the value of `Content-Type`.
    #[inline]
    pub fn content_type(&self) -> &'static str {
        match self.header_length() {
            Some(_) => "application/octet-stream",
            None => "application/json",
        }
    }

    /// Returns the value of `Inference-Header-Content-Length`, or `None` for a response without
    /// binary data.
    #[inline]
    pub fn header_length(&self) -> Option<usize> {
        (!self.binary.is_empty()).then_some(self.json.len())
    }

    /// Returns the JSON part.
    #[inline]
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Returns the parts of the body in order.
    #[inline]
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let parts = std::iter::once(&self.json).chain(&self.binary);
        parts.map(|part| &part[..])
    }
}
