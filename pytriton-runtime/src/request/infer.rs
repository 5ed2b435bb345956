use std::sync::Arc;

use bytes::Bytes;

use crate::memory_budget::MemoryPermit;
#[cfg(feature = "embedded")]
use crate::shared_memory::Shared;
use crate::tensor::DataType;
use crate::trace::Trace;

#[cfg(feature = "embedded")]
use super::Arrival;
use super::{Parameters, Sequence, Traced};

/// A request as a codec read it: names from the wire, not yet checked against a model.
#[derive(Debug, Clone, Default)]
pub struct InferRequest {
    /// The client's id; empty for none.
    pub id: String,
    /// The request's parameters and forwarded headers.
    pub parameters: Parameters,
    /// How long the request may wait, in microseconds; 0 for no wish.
    pub timeout_microseconds: u64,
    /// The request's priority level, of which 1 goes first; 0 for no wish.
    pub priority: u64,
    /// Which sequence it belongs to; `None` for none.
    pub sequence: Option<Sequence>,
    /// The inputs in the order of the request.
    pub inputs: Vec<InferInput>,
    /// The outputs asked for; empty for all.
    pub outputs: Vec<RequestedOutput>,
    /// Which of them are in shared memory; `None` for none.
    #[cfg(feature = "embedded")]
    pub shared: Option<Arc<Shared>>,
    /// Who notes what happens to it; `None` where nobody does.
    pub traced: Option<Arc<dyn Traced>>,
    /// What counts its bytes as held as long as it is there; `None` where nothing does.
    pub held: Option<Arc<MemoryPermit>>,
    /// Its place among the requests of its connection, until it enters a queue; `None` if that does not matter.
    #[cfg(feature = "embedded")]
    pub(crate) arrival: Option<Arc<Arrival>>,
    /// Its spans; `None` where nobody listens.
    pub(crate) trace: Option<Box<Trace>>,
}

/// An input as the wire carries it: nothing of it has been compared with the model or with itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferInput {
    /// The name.
    pub name: String,
    /// The element type.
    pub datatype: DataType,
    /// The dimensions, which a client may have made negative.
    pub shape: Vec<i64>,
    /// The elements' bytes, as in [`Tensor::data`](crate::tensor::Tensor::data).
    pub data: Bytes,
}

/// An output that a request asks for, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedOutput {
    /// The name.
    pub name: String,
    /// Whether it is to come as binary data; `None` leaves it to the request.
    pub binary: Option<bool>,
    /// How many classes to return instead of the tensor; 0 for the tensor.
    pub classification: usize,
}

impl InferRequest {
    /// About how many bytes of memory it takes, with all that it names.
    pub fn bytes(&self) -> usize {
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|input| {
            let shape = size_of_val(input.shape.as_slice());
            size_of::<InferInput>() + input.name.len() + shape + input.data.len()
        });
        let outputs = self.outputs.iter();
        let outputs = outputs.map(|output| size_of::<RequestedOutput>() + output.name.len());
        let sequence = self.sequence.as_ref().map_or(0, Sequence::bytes);
        #[cfg(feature = "embedded")]
        let shared = self.shared.as_ref().map_or(0, |shared| shared.bytes());
        #[cfg(not(feature = "embedded"))]
        let shared = 0;
        // The answer names the id again.
        2 * self.id.len()
            + sequence
            + self.parameters.bytes()
            + shared
            + inputs.sum::<usize>()
            + outputs.sum::<usize>()
    }
}
