use std::sync::Arc;

use bytes::Bytes;

use crate::memory_budget::{MemoryBudgetError, MemoryPermit};
use crate::shared_memory::Shared;
use crate::tensor::DataType;
use crate::trace::Trace;

use super::Arrival;
use super::{Identity, Parameters, Sequence, TraceEvents};

/// A decoded request, not yet checked against a model.
///
/// Its memory is reserved: a request cannot be created without a permit. A codec starts with
/// [`InferRequest::new`] and grows the permit before it allocates.
#[derive(Debug)]
pub struct InferRequest {
    /// The ID set by the client, or an empty string.
    pub id: String,
    /// The parameters of the request, including forwarded headers.
    pub parameters: Parameters,
    /// The client. Decoding never sets it: only the server knows the connection.
    pub identity: Identity,
    /// The queue timeout in microseconds, or 0 for the default.
    pub timeout_microseconds: u64,
    /// The priority level (1 is the highest), or 0 for the default.
    pub priority: u64,
    /// The sequence of the request, if any.
    pub sequence: Option<Sequence>,
    /// The inputs in the order of the request.
    pub inputs: Vec<InferInput>,
    /// The requested outputs. Empty for all.
    pub outputs: Vec<RequestedOutput>,
    /// The inputs and outputs in shared memory, if any.
    pub shared: Option<Arc<Shared>>,
    /// Records trace events, if the request is traced.
    pub traced: Option<Arc<dyn TraceEvents>>,
    /// The memory reservation of the request, and of the parts of its body that it keeps alive. A
    /// checked request shares it with its inputs: it ends with the last part of any of them.
    pub memory: MemoryPermit,
    /// Its position among the requests of its connection, if the order matters. Dropped when the
    /// request enters a queue.
    pub arrival: Option<Arc<Arrival>>,
    /// Its spans, if tracing is enabled.
    pub trace: Option<Box<Trace>>,
}

/// An input as received, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferInput {
    /// The name.
    pub name: String,
    /// The element type.
    pub datatype: DataType,
    /// The dimensions. They may be negative in an invalid request.
    pub shape: Vec<i64>,
    /// The bytes of the elements, as in [`Tensor::data`](crate::tensor::Tensor::data).
    pub data: Bytes,
}

/// An output requested by the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedOutput {
    /// The name.
    pub name: String,
    /// Whether to send it as binary data. `None` uses the default of the request.
    pub binary: Option<bool>,
    /// The number of classes to return instead of the tensor, or 0 for the tensor.
    pub classification: usize,
}

impl InferRequest {
    /// Creates an empty request. `memory` covers everything that is added to it.
    pub fn new(memory: MemoryPermit) -> Self {
        Self {
            id: String::new(),
            parameters: Parameters::default(),
            identity: Identity::ANONYMOUS,
            timeout_microseconds: 0,
            priority: 0,
            sequence: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            shared: None,
            traced: None,
            memory,
            arrival: None,
            trace: None,
        }
    }

    /// Replaces the reservation for decoding by one for the decoded request, and for `kept` bytes
    /// that it keeps alive.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if more must be reserved than is available.
    pub fn settle(&mut self, kept: usize) -> Result<(), MemoryBudgetError> {
        self.memory.resize(self.bytes().saturating_add(kept))
    }

    /// Returns the size of the data of all inputs.
    pub fn data_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.data.len()).sum()
    }

    /// Returns the approximate memory of the request in bytes.
    pub fn bytes(&self) -> usize {
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|input| {
            let shape = size_of_val(input.shape.as_slice());
            size_of::<InferInput>() + input.name.len() + shape + input.data.len()
        });
        let outputs = self.outputs.iter();
        let outputs = outputs.map(|output| size_of::<RequestedOutput>() + output.name.len());
        let sequence = self.sequence.as_ref().map_or(0, Sequence::bytes);
        let shared = self.shared.as_ref().map_or(0, |shared| shared.bytes());
        self.id.len()
            + sequence
            + self.parameters.bytes()
            + self.identity.bytes()
            + shared
            + inputs.sum::<usize>()
            + outputs.sum::<usize>()
    }
}
