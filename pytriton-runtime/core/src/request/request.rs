use std::sync::Arc;
use std::time::Duration;

use ndarray::{CowArray, IxDyn};

use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::ModelSpec;
use crate::tensor::{Element, Tensor, TensorError, array};
use crate::trace::Trace;
use crate::tracked_tensor::TrackedTensor;

use super::Arrival;
use super::InferRequest;
use super::elements::check_elements;
use super::{
    Generation, Identity, InputError, Parameters, Requested, Sequence, SmallVec, TraceEvents,
};

/// A request that matches its model. It is queued, batched and passed to raw functions.
///
/// The data is boxed, because the request is moved often.
#[derive(Debug, Clone)]
pub struct Request(pub(super) Box<Checked>);

/// The data of a request.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) id: String,
    pub(super) parameters: Parameters,
    pub(super) identity: Identity,
    pub(super) timeout_microseconds: u64,
    pub(super) priority: u64,
    pub(super) sequence: Option<Sequence>,
    /// The inputs in the order of the model.
    pub(super) inputs: SmallVec<Option<TrackedTensor>>,
    pub(super) requested: Requested,
    pub(super) batch_size: usize,
    pub(super) traced: Option<Arc<dyn TraceEvents>>,
    pub(super) _memory: Option<Arc<MemoryPermit>>,
    pub(super) trace: Option<Box<Trace>>,
    /// Why the request cannot be executed. It stays in its batch, because its index must not
    /// change.
    pub(super) flaw: Option<InputError>,
    pub(super) arrival: Option<Arc<Arrival>>,
}

impl Request {
    /// Creates a request that tritonserver has checked: inputs in the order of the model, each with
    /// `batch_size` rows.
    pub fn gathered(
        spec: &Arc<ModelSpec>,
        head: InferRequest,
        inputs: SmallVec<Option<TrackedTensor>>,
        requested: Requested,
        batch_size: usize,
    ) -> Self {
        Self(Box::new(Checked {
            spec: Arc::clone(spec),
            id: head.id,
            parameters: head.parameters,
            identity: head.identity,
            timeout_microseconds: head.timeout_microseconds,
            priority: head.priority,
            sequence: head.sequence,
            inputs,
            requested,
            batch_size,
            traced: head.traced,
            _memory: head.memory.share(),
            trace: head.trace,
            flaw: None,
            arrival: None,
        }))
    }

    /// Checks the elements. If one is invalid, the request fails alone when its batch runs.
    pub fn with_checked_elements(mut self) -> Self {
        let checked = &self.0;
        let inputs = (0..).zip(checked.inputs.iter());
        let flaws = inputs.filter_map(|(index, tensor)| {
            let data = tensor.as_ref()?.data();
            let source = check_elements(&checked.spec, index, data).err()?;
            Some(InputError::new(&checked.spec, index, source))
        });
        if let Some(flaw) = { flaws }.next() {
            self.0.flaw = Some(flaw);
        }
        self
    }

    /// Returns whether the elements can be decoded within the budget. Checks only the inputs that
    /// must be validated before a call, and keeps one decoded element at a time.
    pub fn is_decodable(&self, budget: Option<&Arc<MemoryBudget>>) -> bool {
        // The sum is reserved, because a call decodes all elements.
        let mut permit = MemoryPermit::within(budget);
        let mut reserve = |bytes| permit.grow(bytes).is_ok();
        let mut checks = self.0.spec.decoded_inputs.iter();
        checks.all(|(input, check)| {
            let tensor = self.0.inputs.get(*input).and_then(Option::as_ref);
            tensor.is_none_or(|tensor| check(tensor.data(), &mut reserve))
        })
    }

    /// Marks the request as invalid. It fails with this error when its batch runs.
    pub fn flawed(mut self, flaw: InputError) -> Self {
        self.0.flaw = Some(flaw);
        self
    }

    /// Returns why the request cannot be executed, if it is invalid.
    pub fn flaw(&self) -> Option<&InputError> {
        self.0.flaw.as_ref()
    }

    /// Returns the ID set by the client, or an empty string.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns its spans, if tracing is enabled.
    pub fn trace(&self) -> Option<&Trace> {
        self.0.trace.as_deref()
    }

    /// Records that the request enters a queue.
    pub fn enqueue(&mut self) {
        if let Some(trace) = &mut self.0.trace {
            trace.enqueue();
        }
    }

    /// Takes its position among the requests of its connection. Later ones may enter a queue once
    /// it is dropped.
    pub fn take_arrival(&mut self) -> Option<Arc<Arrival>> {
        self.0.arrival.take()
    }

    /// Records that the request leaves the queue.
    pub fn dequeue(&mut self) {
        if let Some(trace) = &mut self.0.trace {
            trace.dequeue();
        }
    }

    /// Returns the model of the request.
    pub fn model(&self) -> &Arc<ModelSpec> {
        &self.0.spec
    }

    /// Returns the parameters, including forwarded headers.
    pub fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// Returns the client. With tritonserver and with `response_cache`, it is anonymous.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Returns whether the function of the model may process both requests in one call, as far as
    /// it reads their parameters and their client.
    pub fn shares_context_with(&self, other: &Self) -> bool {
        let spec = &self.0.spec;
        (!spec.by_parameters || self.parameters() == other.parameters())
            && (!spec.by_identity() || self.identity() == other.identity())
    }

    /// Hides a parameter from the function.
    pub fn forget_parameter(&mut self, name: &str) {
        self.0.parameters.remove(name);
    }

    /// Returns the queue timeout, or `None` for the default.
    pub fn timeout(&self) -> Option<Duration> {
        let timeout = self.0.timeout_microseconds;
        (timeout > 0).then(|| Duration::from_micros(timeout))
    }

    /// Returns the priority level, or 0 if it is not set. tritonserver does not pass it on.
    pub fn priority(&self) -> u64 {
        self.0.priority
    }

    /// Returns the sequence of the request, if any.
    ///
    /// Without sequence batching, this is what the client sent.
    pub fn sequence(&self) -> Option<&Sequence> {
        self.0.sequence.as_ref()
    }

    /// Assigns the request to a generation of its sequence.
    pub fn belong(&mut self, generation: &Arc<Generation>) {
        if let Some(sequence) = &mut self.0.sequence {
            sequence.belong(generation);
        }
    }

    /// Returns the number of rows, or 1 for a model without batching.
    pub fn batch_size(&self) -> usize {
        self.0.batch_size
    }

    /// Returns the tensors in the order of the model's inputs, with their reservations.
    pub fn inputs(&self) -> &[Option<TrackedTensor>] {
        &self.0.inputs
    }

    /// Returns whether the output with this index is requested.
    pub fn asks_for(&self, output: usize) -> bool {
        self.0.requested.contains(output)
    }

    /// Returns the outputs that the response contains, with their indices: those that are requested
    /// and not omitted.
    pub(crate) fn select_outputs<T>(&self, outputs: SmallVec<Option<T>>) -> SmallVec<(usize, T)> {
        self.0.requested.select(outputs)
    }

    /// Returns the recorder of trace events, if the request is traced.
    pub fn traced(&self) -> Option<&Arc<dyn TraceEvents>> {
        self.0.traced.as_ref()
    }

    /// Returns the total size of the tensors in bytes.
    pub fn bytes(&self) -> usize {
        let tensors = self.0.inputs.iter().flatten();
        tensors.map(|tensor| tensor.data().len()).sum()
    }

    /// Returns the names of the requested outputs.
    pub fn requested_outputs(&self) -> impl Iterator<Item = &str> {
        let outputs = self.0.spec.outputs.iter().enumerate();
        outputs
            .filter(|(index, _)| self.asks_for(*index))
            .map(|(_, output)| &*output.name)
    }

    /// Returns the tensor of an input, or `None` if the request omits it or the model has no such
    /// input.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.0.inputs[self.0.spec.input_index(name)?].as_deref()
    }

    /// Returns an input as an array with the batch axis first. `None` if the request omits it or
    /// the model has no such input.
    ///
    /// The memory for decoding each input once is reserved before the function is called. The
    /// exception is an element type with its own
    /// [`decoded_bytes`](crate::tensor::BytesElement::decoded_bytes): as much memory is reserved as
    /// for `Vec<u8>`, because the type is chosen here.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the input has another element type.
    pub fn array<T: Element>(
        &self,
        name: &str,
    ) -> Result<Option<CowArray<'_, T, IxDyn>>, TensorError> {
        self.tensor(name).map(array).transpose()
    }

    /// Returns whether the two requests can be rows of one batch: the same inputs with the same
    /// dims after the batch axis. The dims of ragged inputs may differ.
    pub fn stacks_with(&self, other: &Self) -> bool {
        let pairs = self.0.inputs.iter().zip(&other.0.inputs);
        pairs.enumerate().all(|(input, pair)| match pair {
            (Some(one), Some(two)) => {
                one.shape().get(1..) == two.shape().get(1..) || self.0.spec.is_ragged(input)
            }
            (None, None) => true,
            _ => false,
        })
    }
}
