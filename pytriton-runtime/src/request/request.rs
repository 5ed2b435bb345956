use std::sync::Arc;

use ndarray::{CowArray, IxDyn};

use crate::call::ModelError;
use crate::memory_budget::MemoryPermit;
use crate::model::ModelSpec;
use crate::tensor::{Element, Tensor, TensorError, array};
use crate::trace::Trace;

#[cfg(feature = "embedded")]
use super::Arrival;
#[cfg(tritonserver)]
use super::InferRequest;
#[cfg(tritonserver)]
use super::elements::check_elements;
use super::{Few, Generation, Parameters, Requested, Sequence, Traced};

/// A request that fits its model: what waits, is gathered into batches, and what a raw function sees.
///
/// It is handed on from room to room, so that what it has is in one place.
#[derive(Debug, Clone)]
pub struct Request(pub(super) Box<Checked>);

/// What a request has.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) id: String,
    pub(super) parameters: Parameters,
    pub(super) timeout_microseconds: u64,
    pub(super) priority: u64,
    pub(super) sequence: Option<Sequence>,
    /// In the order of the model's inputs.
    pub(super) inputs: Few<Option<Tensor>>,
    pub(super) requested: Requested,
    pub(super) batch_size: usize,
    pub(super) traced: Option<Arc<dyn Traced>>,
    pub(super) _held: Option<Arc<MemoryPermit>>,
    pub(super) trace: Option<Box<Trace>>,
    /// Why the request cannot be executed. It stays in its batch, where others know it by its place.
    pub(super) flaw: Option<ModelError>,
    #[cfg(feature = "embedded")]
    pub(super) arrival: Option<Arc<Arrival>>,
}

impl Request {
    /// A request that tritonserver has checked: its inputs in the order of the model's, all of `batch_size` rows.
    #[cfg(tritonserver)]
    pub(crate) fn gathered(
        spec: &Arc<ModelSpec>,
        head: InferRequest,
        inputs: Few<Option<Tensor>>,
        requested: Requested,
        batch_size: usize,
    ) -> Self {
        Self(Box::new(Checked {
            spec: Arc::clone(spec),
            id: head.id,
            parameters: head.parameters,
            timeout_microseconds: head.timeout_microseconds,
            priority: head.priority,
            sequence: head.sequence,
            inputs,
            requested,
            batch_size,
            traced: head.traced,
            _held: head.held,
            trace: head.trace,
            flaw: None,
            #[cfg(feature = "embedded")]
            arrival: None,
        }))
    }

    /// The same request, unless one of its elements is none of its type: then it fails by itself when its batch runs.
    #[cfg(tritonserver)]
    pub(crate) fn with_checked_elements(mut self) -> Self {
        let checked = &self.0;
        let inputs = (0..).zip(checked.inputs.iter());
        let flaws = inputs.filter_map(|(index, tensor)| {
            let data = tensor.as_ref()?.data();
            let source = check_elements(&checked.spec, index, data).err()?;
            Some(ModelError::Input {
                model: Arc::clone(&checked.spec.name),
                input: Arc::clone(&checked.spec.inputs[index].name),
                source,
            })
        });
        if let Some(flaw) = { flaws }.next() {
            self.0.flaw = Some(flaw);
        }
        self
    }

    /// The same request, which fails with that error when its batch runs.
    #[cfg(tritonserver)]
    pub(crate) fn flawed(mut self, flaw: ModelError) -> Self {
        self.0.flaw = Some(flaw);
        self
    }

    /// Why the request cannot be executed; `None` for one that can.
    pub(crate) fn flaw(&self) -> Option<&ModelError> {
        self.0.flaw.as_ref()
    }

    /// The client's id; empty for none.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Its spans; `None` where nobody listens.
    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.0.trace.as_deref()
    }

    /// It waits from here on.
    pub(crate) fn enqueue(&mut self) {
        if let Some(trace) = &mut self.0.trace {
            trace.enqueue();
        }
    }

    /// Its place among the requests of its connection. Later ones may enter a queue once it is dropped.
    #[cfg(feature = "embedded")]
    pub(crate) fn take_arrival(&mut self) -> Option<Arc<Arrival>> {
        self.0.arrival.take()
    }

    /// It waits no longer.
    pub(crate) fn dequeue(&mut self) {
        if let Some(trace) = &mut self.0.trace {
            trace.dequeue();
        }
    }

    /// The model that the request is for.
    pub fn model(&self) -> &Arc<ModelSpec> {
        &self.0.spec
    }

    /// The request's parameters and forwarded headers.
    pub fn parameters(&self) -> &Parameters {
        &self.0.parameters
    }

    /// Lets its function hear nothing of a parameter.
    #[cfg(tritonserver)]
    pub(crate) fn forget_parameter(&mut self, name: &str) {
        self.0.parameters.remove(name);
    }

    /// How long the request may wait, in microseconds; 0 for no wish.
    pub fn timeout_microseconds(&self) -> u64 {
        self.0.timeout_microseconds
    }

    /// The priority level that the request names; 0 for none. tritonserver keeps it to itself.
    pub(crate) fn priority(&self) -> u64 {
        self.0.priority
    }

    /// The sequence that it belongs to; `None` for none.
    ///
    /// A model without sequence batching has it as the client has sent it.
    pub fn sequence(&self) -> Option<&Sequence> {
        self.0.sequence.as_ref()
    }

    /// Puts it into a generation of its sequence's.
    pub(crate) fn belong(&mut self, generation: &Arc<Generation>) {
        if let Some(sequence) = &mut self.0.sequence {
            sequence.belong(generation);
        }
    }

    /// The rows of the request; 1 for a model without batching.
    pub fn batch_size(&self) -> usize {
        self.0.batch_size
    }

    /// Its tensors in the order of the model's inputs.
    pub(crate) fn inputs(&self) -> &[Option<Tensor>] {
        &self.0.inputs
    }

    /// Whether it asks for the output of that index.
    pub(crate) fn asks_for(&self, output: usize) -> bool {
        self.0.requested.contains(output)
    }

    /// Who notes what happens to it.
    pub(crate) fn traced(&self) -> Option<&Arc<dyn Traced>> {
        self.0.traced.as_ref()
    }

    /// The bytes of all its tensors.
    pub fn bytes(&self) -> usize {
        let tensors = self.0.inputs.iter().flatten();
        tensors.map(|tensor| tensor.data().len()).sum()
    }

    /// The names of the outputs that the request asks for.
    pub fn requested_outputs(&self) -> impl Iterator<Item = &str> {
        let outputs = self.0.spec.outputs.iter().enumerate();
        outputs
            .filter(|(index, _)| self.asks_for(*index))
            .map(|(_, output)| &*output.name)
    }

    /// The tensor of an input; `None` when the request left it out or the model has no such input.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.0.inputs[self.0.spec.input_index(name)?].as_ref()
    }

    /// The array of an input, batch axis first; `None` when the request left it out or the model has no such input.
    ///
    /// # Errors
    ///
    /// A [`TensorError`] when the input has another element type.
    pub fn array<T: Element>(
        &self,
        name: &str,
    ) -> Result<Option<CowArray<'_, T, IxDyn>>, TensorError> {
        self.tensor(name).map(array).transpose()
    }

    /// Whether the two requests can be rows of one batch: the same inputs, of the same dims after the batch axis.
    pub fn stacks_with(&self, other: &Self) -> bool {
        self.0
            .inputs
            .iter()
            .zip(&other.0.inputs)
            .all(|pair| match pair {
                (Some(one), Some(two)) => one.shape().get(1..) == two.shape().get(1..),
                (None, None) => true,
                _ => false,
            })
    }
}
