use std::borrow::Cow;
use std::iter::repeat_n;
use std::sync::Arc;

use crate::decorators::{Batch, RowOffsets};
use crate::memory_budget::MemoryBudget;
use crate::model::{CallMode, ModelSpec};
use crate::request::{InputError, Request};
use crate::tensor::{Tensor, TensorError, element_count};
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::ModelError;

/// The inputs of a batch that are already stacked, and how many bytes of each belong to earlier
/// calls.
#[derive(Debug, Clone)]
pub(super) struct Stacked<'a> {
    inputs: &'a [Option<TrackedTensor>],
    /// Empty before the second call.
    skipped: Vec<usize>,
}

impl<'a> Stacked<'a> {
    pub(super) fn new(inputs: &'a [Option<TrackedTensor>]) -> Self {
        Self {
            inputs,
            skipped: Vec::new(),
        }
    }

    /// Advances to the call after that of `requests`.
    pub(super) fn skip(&mut self, requests: &[Request]) {
        self.skipped.resize(self.inputs.len(), 0);
        for (input, skipped) in self.skipped.iter_mut().enumerate() {
            let tensors = requests.iter().flat_map(|request| &request.inputs()[input]);
            *skipped += tensors.map(|tensor| tensor.data().len()).sum::<usize>();
        }
    }

    /// Returns the rows of the next call, which has these tensors, if they are stacked.
    fn rows<'t>(
        &self,
        input: usize,
        tensors: impl Iterator<Item = &'t TrackedTensor>,
        rows: usize,
    ) -> Option<Result<TrackedTensor, TensorError>> {
        let stacked = self.inputs.get(input)?.as_ref()?;
        let start = self.skipped.get(input).copied().unwrap_or_default();
        let bytes: usize = tensors.map(|tensor| tensor.data().len()).sum();
        Some(stacked.slice_rows(rows, start..start.saturating_add(bytes)))
    }
}

/// Splits a batch into the calls that the model requires, in the order of the requests.
///
/// The limit on the cost of a call matters for batches of tritonserver, which does not know it, and
/// for warm-ups. The scheduler of the embedded engine forms no batch that exceeds it.
pub(super) fn runs<'a>(
    spec: &ModelSpec,
    requests: &'a [Request],
    stacked: bool,
) -> impl Iterator<Item = &'a [Request]> {
    let limit = spec.call_options.cost_limit();
    let mut cost = requests.first().map_or(0, Request::cost);
    // The closure sees each pair of neighbours once, in order.
    requests.chunk_by(move |one, two| {
        let sum = cost.saturating_add(two.cost());
        let joins = sum <= limit && can_share_call(spec, one, two, stacked);
        cost = if joins { sum } else { two.cost() };
        joins
    })
}

/// Returns the requests before the first one whose elements are invalid, or only that one.
pub(super) fn valid_requests<'r>(
    run: &'r [Request],
    budget: Option<&Arc<MemoryBudget>>,
) -> &'r [Request] {
    if run.len() <= 1 {
        return run;
    }
    let valid = run
        .iter()
        .take_while(|request| request.is_decodable(budget));
    &run[..valid.count().max(1)]
}

/// Returns whether two requests may be executed in one call.
pub(super) fn can_share_call(
    spec: &ModelSpec,
    one: &Request,
    two: &Request,
    stacked: bool,
) -> bool {
    if one.flaw().is_some() || two.flaw().is_some() {
        return false;
    }
    let alike = stacked || one.stacks_with(two);
    match spec.call {
        CallMode::Request => false,
        CallMode::Batch => alike && one.shares_context_with(two),
        CallMode::Raw => alike,
    }
}

/// Stacks the inputs of the requests of one call, and reserves memory for the copies. A raw call
/// has no inputs.
pub(super) fn gather<'a>(
    spec: &'a ModelSpec,
    requests: &'a [Request],
    already: &Stacked<'_>,
    budget: Option<&'a Arc<MemoryBudget>>,
) -> Result<Batch<'a>, ModelError> {
    if spec.call != CallMode::Raw && !spec.ragged_inputs.is_empty() {
        return gather_ragged(spec, requests, already, budget);
    }
    let inputs = match requests {
        _ if spec.call == CallMode::Raw => Cow::Borrowed(&[][..]),
        [request] => Cow::Borrowed(request.inputs()),
        _ => {
            let inputs = 0..spec.inputs.len();
            let inputs = inputs.map(|input| stacked(spec, requests, already, input, budget));
            Cow::Owned(inputs.collect::<Result<_, _>>()?)
        }
    };
    Ok(Batch::new(spec, batch_size(requests), inputs).counted_in(budget))
}

/// As [`gather`], for a model with ragged inputs.
fn gather_ragged<'a>(
    spec: &'a ModelSpec,
    requests: &'a [Request],
    already: &Stacked<'_>,
    budget: Option<&'a Arc<MemoryBudget>>,
) -> Result<Batch<'a>, ModelError> {
    let mut offsets = vec![None; spec.inputs.len()];
    let inputs = offsets.iter_mut().enumerate().map(|(input, offsets)| {
        if !spec.is_ragged(input) {
            return stacked(spec, requests, already, input, budget);
        }
        let Some((values, rows)) = joined(spec, requests, already, input, budget)? else {
            return Ok(None);
        };
        *offsets = Some(rows);
        Ok(Some(values))
    });
    let inputs = inputs.collect::<Result<_, ModelError>>()?;
    Ok(Batch::new(spec, batch_size(requests), inputs)
        .with_offsets(offsets)
        .counted_in(budget))
}

fn stacked(
    spec: &ModelSpec,
    requests: &[Request],
    already: &Stacked<'_>,
    input: usize,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<Option<TrackedTensor>, ModelError> {
    let Some(tensors) = tensors(requests, input) else {
        return Ok(None);
    };
    let stacked = match already.rows(input, tensors.clone(), batch_size(requests)) {
        Some(stacked) => stacked.map_err(StackError::from),
        None => TrackedTensor::stack(tensors, budget),
    };
    stacked
        .map(Some)
        .map_err(|error| stack_error(spec, input, error))
}

/// Returns the values of a ragged input, and the offsets of its rows.
fn joined(
    spec: &ModelSpec,
    requests: &[Request],
    already: &Stacked<'_>,
    input: usize,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<Option<(TrackedTensor, RowOffsets)>, ModelError> {
    let Some(tensors) = tensors(requests, input) else {
        return Ok(None);
    };
    let lengths = tensors.clone().flat_map(|tensor| {
        let length = tensor.shape().get(1).copied().unwrap_or_default();
        repeat_n(length, tensor.rows())
    });
    let offsets = RowOffsets::new(batch_size(requests), lengths, budget)?;
    let joined = match already.rows(input, tensors.clone(), offsets.values()) {
        Some(joined) => joined.map_err(StackError::from),
        None => flattened(tensors).and_then(|parts| TrackedTensor::stack(parts.iter(), budget)),
    };
    let joined = joined.map_err(|error| stack_error(spec, input, error))?;
    Ok(Some((joined, offsets)))
}

/// Returns an input of the requests. `None` if they omit it: the requests of a call have the same
/// inputs.
fn tensors(
    requests: &[Request],
    input: usize,
) -> Option<impl Iterator<Item = &TrackedTensor> + Clone> {
    let tensors = requests
        .iter()
        .flat_map(move |request| &request.inputs()[input]);
    (tensors.clone().count() == requests.len()).then_some(tensors)
}

/// Returns the values of each tensor in one dimension, without a copy.
fn flattened<'t>(
    tensors: impl Iterator<Item = &'t TrackedTensor>,
) -> Result<Vec<TrackedTensor>, StackError> {
    let parts = tensors.map(|tensor| {
        let shape = [values(tensor)];
        Ok(tensor.reshaped(shape.as_slice())?)
    });
    parts.collect()
}

/// Returns the number of elements.
fn values(tensor: &Tensor) -> usize {
    // The shape of an existing tensor does not overflow.
    element_count(tensor.shape()).unwrap_or_default()
}

fn stack_error(spec: &ModelSpec, input: usize, error: StackError) -> ModelError {
    match error {
        StackError::Budget(error) => ModelError::Budget(error),
        StackError::Tensor(source) => InputError::new(spec, input, source).into(),
    }
}

pub(super) fn batch_size(requests: &[Request]) -> usize {
    requests.iter().map(|request| request.batch_size()).sum()
}
