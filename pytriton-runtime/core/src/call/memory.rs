use std::ptr;
use std::sync::Arc;

use bytes::Bytes;
use thiserror::Error;

use crate::decorators::{StepError, decoded_bytes};
use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudget, MemoryBudgetError, MemoryPermit};
use crate::model::CallMode;
use crate::request::{Request, SmallVec};
use crate::tensor::{Tensor, TensorError, stack};
use crate::tracked_bytes::TrackedBytes;

use super::{Context, ModelError, ResponseParts, Returned, RowGroup};

/// Returns the tensor with its memory reserved while any slice of it exists.
///
/// # Errors
///
/// Returns [`MemoryBudgetError`] if its bytes exceed the limit.
pub fn tracked(tensor: Tensor, budget: &Arc<MemoryBudget>) -> Result<Tensor, MemoryBudgetError> {
    let bytes = tensor.data().len();
    if bytes < MIN_TRACKED_BYTES {
        return Ok(tensor);
    }
    let permit = budget.permit(bytes)?;
    Ok(tensor.map_data(|data| TrackedBytes::new(data, permit).into_bytes()))
}

/// The return value of a call, with the memory of its tensors reserved. Only this type is split
/// into responses.
#[derive(Debug)]
pub(super) struct ReservedOutputs(Returned);

impl ReservedOutputs {
    /// Creates the outputs of steps, which have reserved the tensors that they created.
    pub(super) fn of_steps(groups: Vec<RowGroup>) -> Self {
        Self(Returned::RowGroups(groups))
    }

    /// Creates the outputs of a call that has sent its responses.
    pub(super) fn streamed() -> Self {
        Self(Returned::Streamed)
    }

    /// Returns whether the inputs of a request are the cause of an error: they are invalid, or
    /// their memory cannot be reserved.
    pub(super) fn is_refused(returned: &Result<Self, ModelError>) -> bool {
        match returned {
            Err(error) => is_of_request(error),
            Ok(outputs) => outputs.errors().any(is_of_request),
        }
    }

    /// Returns the errors of the groups of rows that have failed.
    pub(super) fn errors(&self) -> impl Iterator<Item = &ModelError> {
        let groups = match &self.0 {
            Returned::RowGroups(groups) => groups.as_slice(),
            _ => &[],
        };
        let groups = groups.iter();
        groups.filter_map(|group| group.outputs.as_ref().err())
    }

    /// Returns the outputs, which keep their reservations.
    pub(super) fn into_returned(self) -> Returned {
        self.0
    }
}

/// Returns whether the inputs of one request may be the cause.
fn is_of_request(error: &ModelError) -> bool {
    let of_inputs = matches!(
        error,
        ModelError::Input(_) | ModelError::Budget(_) | ModelError::Step(StepError::Budget(_))
    );
    of_inputs || error.is_of_client()
}

/// Reserves the outputs of a call before they are split into responses. A client that has received
/// one row keeps the buffer of the whole batch alive.
pub(super) fn outputs(
    returned: Returned,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<ReservedOutputs, ModelError> {
    let Some(budget) = budget else {
        return Ok(ReservedOutputs(returned));
    };
    let reserved = match returned {
        Returned::Call(parts) => Returned::Call(reserve_parts(parts, Some(budget))?),
        Returned::RowGroups(groups) => {
            let groups = groups.into_iter().map(|group| RowGroup {
                outputs: group
                    .outputs
                    .and_then(|tensors| Ok(all_tracked(tensors, budget)?)),
                ..group
            });
            Returned::RowGroups(groups.collect())
        }
        Returned::Each(each) => {
            let each = each.into_iter();
            let each = each.map(|parts| parts.and_then(|parts| reserve_parts(parts, Some(budget))));
            Returned::Each(each.collect())
        }
        Returned::Streamed => Returned::Streamed,
    };
    Ok(ReservedOutputs(reserved))
}

/// Reserves the outputs of one response.
pub(super) fn reserve_parts(
    parts: ResponseParts,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<ResponseParts, ModelError> {
    let Some(budget) = budget else {
        return Ok(parts);
    };
    let is_small = |tensor: &Tensor| tensor.data().len() < MIN_TRACKED_BYTES;
    if parts.tensors.iter().flatten().all(is_small) {
        return Ok(parts);
    }
    let tensors = all_tracked(parts.tensors.into(), budget)?;
    Ok(ResponseParts {
        tensors: SmallVec::from(tensors),
        ..parts
    })
}

/// Reserves the outputs that are not omitted.
fn all_tracked(
    tensors: Vec<Option<Tensor>>,
    budget: &Arc<MemoryBudget>,
) -> Result<Vec<Option<Tensor>>, MemoryBudgetError> {
    let tensors = tensors.into_iter();
    let tensors = tensors.map(|tensor| tensor.map(|tensor| tracked(tensor, budget)).transpose());
    tensors.collect()
}

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
            **tensor = tensor.clone().map_data(|data| {
                let permit = Arc::clone(permit);
                Bytes::from_owner(Created {
                    data,
                    _permit: permit,
                })
            });
        }
    }
    Ok(())
}

/// The data of one of several tensors that share a reservation.
struct Created {
    data: Bytes,
    _permit: Arc<MemoryPermit>,
}

impl AsRef<[u8]> for Created {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
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
    Ok(stacked.map_data(|data| TrackedBytes::new(data, permit).into_bytes()))
}

#[cfg(test)]
mod tests {
    use crate::model::ModelSpec;
    use crate::request::{Parameters, Response};
    use crate::testing::{IDENTITY, request};

    use super::super::returned::responses;
    use super::*;

    const KIB: usize = 1 << 10;

    /// Returns one row of 8 KiB for each of `count` requests.
    fn rows_of_8_kib(count: usize) -> ResponseParts {
        let tensor = Tensor::from_elements(vec![count, 2048], vec![0_f32; count * 2048]);
        ResponseParts {
            tensors: SmallVec::one(Some(tensor.unwrap())),
            ..ResponseParts::default()
        }
    }

    fn split(
        spec: &Arc<ModelSpec>,
        count: usize,
        returned: Returned,
        budget: &Arc<MemoryBudget>,
    ) -> Vec<Result<Response, ModelError>> {
        let requests: Vec<_> = (0..count).map(|_| request(spec, 1, 0.0)).collect();
        match outputs(returned, Some(budget)) {
            Ok(returned) => responses(spec, &requests, returned, Some(budget)).into(),
            Err(error) => vec![Err(error); count],
        }
    }

    #[test]
    fn one_response_keeps_the_outputs_of_its_whole_batch_reserved() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(100 * KIB);
        for count in [1, 2, 12] {
            for index in [0, count - 1] {
                let returned = Returned::Call(rows_of_8_kib(count));
                let mut responses = split(&spec, count, returned, &budget);
                assert_eq!(budget.reserved(), count * 8 * KIB);
                let response = responses.swap_remove(index).unwrap();
                drop(responses);
                assert_eq!(budget.reserved(), count * 8 * KIB, "of {count}");
                drop(response);
                assert_eq!(budget.reserved(), 0);
            }
        }
        let responses = split(&spec, 13, Returned::Call(rows_of_8_kib(13)), &budget);
        let refused = |response: &Result<Response, _>| matches!(response, Err(ModelError::Budget(error)) if error.bytes == 13 * 8 * KIB);
        assert!(responses.iter().all(refused), "{responses:?}");
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn each_output_of_a_raw_function_is_reserved_separately() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(20 * KIB);
        let each = vec![
            Ok(rows_of_8_kib(1)),
            Ok(rows_of_8_kib(1)),
            Ok(rows_of_8_kib(1)),
        ];
        let mut responses = split(&spec, 3, Returned::Each(each), &budget);
        assert_eq!(budget.reserved(), 16 * KIB);
        assert!(matches!(responses.pop(), Some(Err(ModelError::Budget(_)))));
        drop(responses.pop());
        assert_eq!(budget.reserved(), 8 * KIB);
    }

    #[test]
    fn rows_joined_from_several_groups_are_reserved_again() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(100 * KIB);
        let group = |rows: &[usize]| RowGroup {
            rows: rows.to_vec(),
            outputs: Ok(rows_of_8_kib(rows.len()).tensors.into()),
            parameters: Parameters::default(),
            failures: Vec::new(),
        };
        let requests = [request(&spec, 2, 0.0)];
        let returned = Returned::RowGroups(vec![group(&[1]), group(&[0])]);
        let returned = outputs(returned, Some(&budget)).unwrap();
        assert_eq!(budget.reserved(), 16 * KIB);
        let responses = responses(&spec, &requests, returned, Some(&budget));
        assert_eq!(budget.reserved(), 16 * KIB);
        drop(responses);
        assert_eq!(budget.reserved(), 0);
    }
}
