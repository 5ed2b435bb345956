use std::ptr;
use std::sync::Arc;

use bytes::Bytes;
use thiserror::Error;

use crate::decorators::decoded_bytes;
use crate::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};
use crate::model::CallMode;
use crate::request::Request;
use crate::tensor::{Tensor, TensorError, stack};
use crate::tracked_bytes::TrackedBytes;

use super::{Context, ModelError};

/// Calls a step that changes outputs and may create `bytes` bytes of them, which are reserved
/// first. The reservation is attached to the tensors that it has created.
pub(super) fn reserve_outputs(
    budget: Option<&Arc<MemoryBudget>>,
    bytes: usize,
    groups: &mut [&mut [Option<Tensor>]],
    change: impl FnOnce(&mut [&mut [Option<Tensor>]]) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let Some(budget) = budget else {
        return change(groups);
    };
    let mut permit = budget.permit(bytes)?;
    // They are kept until the end, so that no new tensor can have the address of an old one.
    let before: Vec<Bytes> = groups
        .iter()
        .flat_map(|outputs| outputs.iter().flatten())
        .map(|tensor| tensor.data().clone())
        .collect();
    change(groups)?;
    let mut ranges: Vec<_> = before.iter().map(|data| data.as_ptr_range()).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    // Slices of one buffer may contain each other.
    let mut end = ptr::null();
    for range in &mut ranges {
        end = range.end.max(end);
        range.end = end;
    }
    let is_new = |tensor: &Tensor| {
        let data = tensor.data().as_ptr_range();
        let known = ranges.partition_point(|range| range.start <= data.start);
        let known = known.checked_sub(1).and_then(|index| ranges.get(index));
        !data.is_empty() && known.is_none_or(|known| data.end > known.end)
    };
    let tensors = groups
        .iter_mut()
        .flat_map(|outputs| outputs.iter_mut().flatten());
    let mut created: Vec<&mut Tensor> = tensors.filter(|tensor| is_new(tensor)).collect();
    let total = created.iter().map(|tensor| tensor.data().len());
    permit.resize(total.fold(0, usize::saturating_add))?;
    let permit = permit.share();
    for tensor in &mut created {
        if let Some(permit) = &permit {
            **tensor = tensor
                .clone()
                .map_data(|data| TrackedBytes::shared(data, permit).into_bytes());
        }
    }
    Ok(())
}

/// Reserves the memory of arrays that a raw function may decode from its requests, except that of
/// element types with their own `decoded_bytes`. Other functions reserve it when they read an
/// argument.
pub(super) fn arguments(
    context: &Context,
    requests: &[Request],
) -> Result<Vec<MemoryPermit>, ModelError> {
    let budget = context.budget();
    let Some(budget) = budget.filter(|_| context.model().call == CallMode::Raw) else {
        return Ok(Vec::new());
    };
    let inputs = requests.iter().flat_map(|request| request.inputs());
    let bytes = inputs.flatten().map(decoded_bytes);
    match bytes.fold(0, usize::saturating_add) {
        0 => Ok(Vec::new()),
        bytes => Ok(vec![budget.permit(bytes)?]),
    }
}

/// Why tensors could not be stacked.
#[derive(Debug, Error)]
pub enum StackError {
    /// Their types or shapes differ.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// Their memory cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

/// Stacks tensors. The memory of the new buffer is reserved first.
///
/// # Errors
///
/// Returns [`StackError`] if the tensors do not stack, or their memory cannot be reserved.
pub fn stack_reserved(
    tensors: &[&Tensor],
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<Tensor, StackError> {
    let (Some(budget), [_, _, ..]) = (budget, tensors) else {
        return Ok(stack(tensors)?);
    };
    let bytes = tensors.iter().map(|tensor| tensor.data().len());
    let bytes = bytes.fold(0, usize::saturating_add);
    let permit = budget.permit(bytes)?;
    let stacked = stack(tensors)?;
    Ok(TrackedBytes::attach(stacked, permit))
}
