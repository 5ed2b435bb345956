use std::borrow::Cow;
use std::sync::Arc;

use crate::decorators::Batch;
use crate::memory_budget::MemoryBudget;
use crate::model::{CallMode, ModelSpec};
use crate::request::{InputError, Request};
use crate::tensor::TensorError;
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::ModelError;

/// The inputs of a batch that are already stacked, and how many of their rows belong to earlier
/// calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stacked<'a> {
    inputs: &'a [Option<TrackedTensor>],
    skipped: usize,
}

impl<'a> Stacked<'a> {
    pub(super) fn new(inputs: &'a [Option<TrackedTensor>]) -> Self {
        Self { inputs, skipped: 0 }
    }

    /// Advances to the call after that of `requests`.
    pub(super) fn skip(&mut self, requests: &[Request]) {
        self.skipped += batch_size(requests);
    }

    /// Returns the rows of the next call if they are stacked.
    fn rows(
        self,
        requests: &[Request],
        input: usize,
    ) -> Option<Result<TrackedTensor, TensorError>> {
        let tensor = self.inputs.get(input)?.as_ref()?;
        Some(tensor.rows_from(self.skipped, batch_size(requests)))
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
    already: Stacked<'_>,
    budget: Option<&'a Arc<MemoryBudget>>,
) -> Result<Batch<'a>, ModelError> {
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

fn stacked(
    spec: &ModelSpec,
    requests: &[Request],
    already: Stacked<'_>,
    input: usize,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<Option<TrackedTensor>, ModelError> {
    let tensors = requests.iter().flat_map(|request| &request.inputs()[input]);
    // The requests of a call have the same inputs.
    if tensors.clone().count() < requests.len() {
        return Ok(None);
    }
    let stacked = match already.rows(requests, input) {
        Some(stacked) => stacked.map_err(StackError::from),
        None => TrackedTensor::stack(&tensors.collect::<Vec<_>>(), budget),
    };
    let stacked = stacked.map_err(|error| match error {
        StackError::Budget(error) => ModelError::Budget(error),
        StackError::Tensor(source) => InputError::new(spec, input, source).into(),
    })?;
    Ok(Some(stacked))
}

pub(super) fn batch_size(requests: &[Request]) -> usize {
    requests.iter().map(|request| request.batch_size()).sum()
}
