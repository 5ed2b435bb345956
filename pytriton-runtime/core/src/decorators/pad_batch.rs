use std::iter::repeat_n;
use std::sync::Arc;

use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::{Tensor, rows};
use crate::tracked_tensor::TrackedTensor;

use super::repeated::repeated;
use super::{Batch, RowOffsets, Step, StepError};

/// `#[pad_batch]`: repeats the last row until the batch has a preferred size or the maximum size,
/// and removes the added rows from the outputs.
///
/// # Examples
///
/// ```
/// # use pytriton_core::decorators::{PadBatch, Step};
/// static STEP: &dyn Step = &PadBatch;
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct PadBatch;

impl Step for PadBatch {
    fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        StepError::need_batch_axis(model)?;
        // The batch is padded after the limit has been applied.
        match model.cost_input {
            None => Ok(()),
            Some(_) => Err(StepError::PaddedCost {
                model: Arc::clone(&model.name),
            }
            .into()),
        }
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let (model, count) = (batch.model(), batch.rows());
        let size = padded(model, count);
        // There is no last row to repeat, or nothing to add.
        if count == 0 || size == count {
            return Ok(());
        }
        for (index, input) in model.inputs.iter().enumerate() {
            let Some(tensor) = &batch.inputs()[index] else {
                continue;
            };
            if let Some(offsets) = batch.offsets_of(index) {
                let (tensor, offsets) = repeat_last_ragged(batch, index, tensor, offsets, size)?;
                batch.set_ragged(index, tensor, offsets);
                continue;
            }
            let tensor = repeat_last(batch, index, tensor, size)?;
            batch.set_reserved(&input.name, tensor)?;
        }
        Ok(())
    }

    fn finish(
        &self,
        model: &ModelSpec,
        count: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        let expected = match count {
            0 => 0,
            _ => padded(model, count),
        };
        for (index, output) in outputs.iter_mut().enumerate() {
            let Some(output) = output else { continue };
            if output.rows() != expected {
                return Err(StepError::Rows {
                    model: Arc::clone(&model.name),
                    output: Arc::clone(&model.outputs[index].name),
                    expected,
                    got: output.rows(),
                }
                .into());
            }
            // All rows are reserved as long as a slice of them exists. A copy would need more
            // memory.
            let own = rows(output, 0, count);
            *output = own.map_err(|source| StepError::output(model, index, source))?;
        }
        Ok(())
    }
}

/// Returns the padded size of a batch: the next preferred size, or the maximum.
fn padded(model: &ModelSpec, count: usize) -> usize {
    let batching = model.dynamic_batching().into_iter();
    let preferred = batching.flat_map(|batching| &batching.preferred_batch_size);
    let sizes = preferred.chain([&model.max_batch_size]);
    let sizes = sizes.filter_map(|&size| usize::try_from(size).ok());
    let next = sizes.filter(|&size| size >= count).min();
    // A model without a batch axis, whose maximum is 0, is not padded.
    next.unwrap_or(count)
}

fn repeat_last(
    batch: &Batch<'_>,
    input: usize,
    tensor: &TrackedTensor,
    size: usize,
) -> Result<TrackedTensor, StepError> {
    let count = tensor.rows();
    let last = rows(tensor, count.saturating_sub(1), 1);
    let last = last.map_err(|source| StepError::input(batch.model(), input, source))?;
    let mut shape = tensor.shape().to_vec();
    shape[0] = size;
    let missing = size.saturating_sub(count);
    repeated(batch, input, shape, tensor.data(), &last, missing)
}

/// The same for the values of a ragged input, whose rows have different lengths.
fn repeat_last_ragged(
    batch: &Batch<'_>,
    input: usize,
    values: &TrackedTensor,
    offsets: &RowOffsets,
    size: usize,
) -> Result<(TrackedTensor, RowOffsets), StepError> {
    let length = offsets.lengths().last().unwrap_or_default();
    let missing = size.saturating_sub(offsets.rows());
    let lengths = offsets.lengths().chain(repeat_n(length, missing));
    let padded = RowOffsets::new(size, lengths, batch.budget())?;
    let last = rows(values, offsets.values().saturating_sub(length), length);
    let last = last.map_err(|source| StepError::input(batch.model(), input, source))?;
    let shape = vec![padded.values()];
    let values = repeated(batch, input, shape, values.data(), &last, missing)?;
    Ok((values, padded))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use crate::memory_budget::{MemoryBudget, MemoryBudgetError};
    use crate::testing::IDENTITY;

    use super::*;

    fn column(values: &[f32]) -> Tensor {
        Tensor::from_elements(vec![values.len(), 1], values.to_vec()).unwrap()
    }

    /// A batch of this column.
    fn batch<'a>(spec: &'a ModelSpec, values: &[f32]) -> Batch<'a> {
        let inputs = vec![Some(column(values).into())];
        Batch::new(spec, values.len(), Cow::Owned(inputs))
    }

    #[test]
    fn batch_is_padded_to_the_next_size() {
        type Sizes = &'static [(usize, usize)];
        let table: [(&[u32], u32, Sizes); 5] = [
            (&[], 4, &[(1, 4), (3, 4), (4, 4)]),
            (&[4, 2], 8, &[(1, 2), (2, 2), (3, 4), (5, 8), (8, 8)]),
            (&[8], 8, &[(1, 8), (8, 8)]),
            // A batch above the maximum, and a model without a batch axis.
            (&[2], 4, &[(5, 5)]),
            (&[], 0, &[(1, 1)]),
        ];
        for (preferred, largest, sizes) in table {
            let mut spec = IDENTITY.spec().unwrap();
            spec.max_batch_size = largest;
            if let Some(batching) = &mut spec.batcher {
                batching.preferred_batch_size = preferred.to_vec();
            }
            for &(count, expected) in sizes {
                assert_eq!(padded(&spec, count), expected, "{preferred:?} {largest}");
            }
            spec.batcher = None;
            let largest = largest as usize;
            assert_eq!(padded(&spec, 1), largest.max(1));
        }
    }

    #[test]
    fn padding_rows_are_removed_and_other_counts_are_an_error() {
        let spec = IDENTITY.spec().unwrap();
        let mut batch = batch(&spec, &[1.0, 2.0]);
        PadBatch.prepare(&mut batch).unwrap();
        let all = [1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0];
        assert_eq!(batch.inputs(), [Some(column(&all).into())]);

        // An omitted output stays omitted.
        let mut outputs = [Some(column(&all)), None];
        PadBatch.finish(&spec, 2, &mut outputs).unwrap();
        assert_eq!(outputs, [Some(column(&[1.0, 2.0])), None]);
        let error = PadBatch.finish(&spec, 2, &mut outputs).unwrap_err();
        let text = "output 'OUTPUT_1' of model 'Identity' has 2 rows, expected 8: one for each row of the call";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn padding_is_reserved_before_it_is_allocated_and_until_it_is_dropped() {
        let spec = IDENTITY.spec().unwrap();
        let input = Tensor::from_elements(vec![2, 1024], vec![1.0_f32; 2048]);
        let inputs = [Some(input.unwrap().into())];
        for (limit, expected) in [(32 << 10, None), ((32 << 10) - 1, Some(32 << 10))] {
            let budget = MemoryBudget::new(limit);
            let mut batch = Batch::new(&spec, 2, Cow::Borrowed(&inputs)).counted_in(Some(&budget));
            let refused = PadBatch.prepare(&mut batch).err().map(StepError::of);
            let expected =
                expected.map(|bytes| StepError::Budget(MemoryBudgetError { bytes, limit }));
            assert_eq!(refused, expected);
            let held = if refused.is_some() { 0 } else { 32 << 10 };
            assert_eq!(budget.reserved(), held);
            let inputs = batch.into_inputs().0.into_owned();
            assert_eq!(budget.reserved(), held);
            drop(inputs);
            assert_eq!(budget.reserved(), 0);
        }
    }

    #[test]
    fn model_without_batch_axis_is_refused() {
        let mut spec = IDENTITY.spec().unwrap();
        assert!(PadBatch.check(&spec).is_ok());
        spec.max_batch_size = 0;
        let error = PadBatch.check(&spec).unwrap_err().to_string();
        assert!(
            error.starts_with("model 'Identity' has no batch axis"),
            "{error}"
        );
    }

    #[test]
    fn model_with_a_limited_cost_is_refused() {
        let mut spec = IDENTITY.spec().unwrap();
        spec.cost_input = Some(0);
        let error = PadBatch.check(&spec).unwrap_err().to_string();
        assert!(
            error.starts_with("model 'Identity' limits the cost"),
            "{error}"
        );
    }

    #[test]
    fn empty_batch_is_not_padded() {
        let spec = IDENTITY.spec().unwrap();
        let mut batch = batch(&spec, &[]);
        PadBatch.prepare(&mut batch).unwrap();
        assert_eq!(batch.inputs(), [Some(column(&[]).into())]);
    }
}
