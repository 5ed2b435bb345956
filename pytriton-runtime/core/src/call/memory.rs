use std::mem::take;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use bytes::Bytes;

use crate::decorators::decoded_bytes;
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::CallMode;
use crate::request::Request;
use crate::tensor::Tensor;
use crate::tracked_tensor::TrackedTensor;

use super::{Context, ModelError};

/// The outputs of groups of rows, as steps see them.
pub(super) type StepOutputs<'o> = [&'o mut [Option<Tensor>]];

/// Calls a step that changes outputs and may create as many bytes of them as `bytes` returns, which
/// are reserved first. The reservation is attached to the tensors that it has created.
pub(super) fn change_outputs(
    budget: Option<&Arc<MemoryBudget>>,
    groups: &mut [&mut [Option<TrackedTensor>]],
    bytes: impl FnOnce(&StepOutputs<'_>) -> Result<usize, ModelError>,
    change: impl FnOnce(&mut StepOutputs<'_>) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let plain = |output: &Option<TrackedTensor>| output.clone().map(TrackedTensor::into_tensor);
    let outputs = groups.iter().flat_map(|outputs| outputs.iter());
    let mut outputs: Vec<Option<Tensor>> = outputs.map(plain).collect();
    let mut rest = outputs.as_mut_slice();
    let changed = groups.iter().map(|group| {
        let (outputs, others) = take(&mut rest).split_at_mut(group.len());
        rest = others;
        outputs
    });
    let mut changed: Vec<&mut [Option<Tensor>]> = changed.collect();
    let mut permit = MemoryPermit::within(budget);
    permit.grow(bytes(&changed)?)?;
    change(&mut changed)?;
    // The previous outputs still exist, so that no new tensor can have the address of an old one.
    let before = groups.iter().flat_map(|outputs| outputs.iter().flatten());
    let before = before.filter(|_| budget.is_some());
    let known = Ranges::new(before.map(|tensor| tensor.data()));
    let mut created = 0_usize;
    let outputs = outputs.into_iter().map(|output| {
        let tensor = output?;
        let is_new = budget.is_some() && !known.contain(tensor.data());
        if is_new {
            created = created.saturating_add(tensor.data().len());
        }
        Some((tensor, is_new))
    });
    let outputs: Vec<_> = outputs.collect();
    permit.resize(created)?;
    let permit = permit.share();
    let places = groups.iter_mut().flat_map(|group| group.iter_mut());
    for (place, output) in places.zip(outputs) {
        *place = output.map(|(tensor, is_new)| {
            let permit = permit.as_ref().filter(|_| is_new);
            TrackedTensor::shared(tensor, permit)
        });
    }
    Ok(())
}

/// The memory of several buffers.
struct Ranges(Vec<Range<*const u8>>);

impl Ranges {
    fn new<'b>(buffers: impl Iterator<Item = &'b Bytes>) -> Self {
        let mut ranges: Vec<_> = buffers.map(|data| data.as_ptr_range()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        // Slices of one buffer may contain each other.
        let mut end = ptr::null();
        for range in &mut ranges {
            end = range.end.max(end);
            range.end = end;
        }
        Self(ranges)
    }

    /// Returns whether the bytes are part of one of the buffers.
    fn contain(&self, bytes: &[u8]) -> bool {
        let bytes = bytes.as_ptr_range();
        let known = self.0.partition_point(|range| range.start <= bytes.start);
        let known = known.checked_sub(1).and_then(|index| self.0.get(index));
        bytes.is_empty() || known.is_some_and(|known| bytes.end <= known.end)
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
    let bytes = inputs.flatten().map(|input| decoded_bytes(input));
    match bytes.fold(0, usize::saturating_add) {
        0 => Ok(Vec::new()),
        bytes => Ok(vec![budget.permit(bytes)?]),
    }
}
