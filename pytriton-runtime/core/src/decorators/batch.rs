use std::borrow::Cow;
use std::sync::Arc;

use ndarray::{CowArray, IxDyn};
use parking_lot::Mutex;

use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::{ModelSpec, TensorSpec};
use crate::tensor::{Element, Tensor, TensorError, array, shape_text};
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::StepError;
use super::decoded::decoded_bytes_of;

/// The inputs of one call, batch axis first if the model has one.
#[derive(Debug)]
pub struct Batch<'a> {
    model: &'a ModelSpec,
    rows: usize,
    /// The inputs in the order of the model.
    inputs: Cow<'a, [Option<TrackedTensor>]>,
    /// The budget for memory that steps allocate.
    budget: Option<&'a Arc<MemoryBudget>>,
    /// The memory of arrays that are decoded from the inputs, until the step has returned.
    decoded: Mutex<Vec<MemoryPermit>>,
}

impl Clone for Batch<'_> {
    fn clone(&self) -> Self {
        Self::new(self.model, self.rows, self.inputs.clone()).counted_in(self.budget)
    }
}

impl<'a> Batch<'a> {
    pub(crate) fn new(
        model: &'a ModelSpec,
        rows: usize,
        inputs: Cow<'a, [Option<TrackedTensor>]>,
    ) -> Self {
        Self {
            model,
            rows,
            inputs,
            budget: None,
            decoded: Mutex::default(),
        }
    }

    /// Sets the budget for memory that steps allocate.
    pub(crate) fn counted_in(self, budget: Option<&'a Arc<MemoryBudget>>) -> Self {
        Self { budget, ..self }
    }

    /// Returns the budget for memory that steps allocate.
    pub(crate) fn budget(&self) -> Option<&'a Arc<MemoryBudget>> {
        self.budget
    }

    /// Reserves memory that a step is about to allocate. Returns `None` if there is no budget.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Option<MemoryPermit>, StepError> {
        let permit = self.budget.map(|budget| budget.permit(bytes));
        Ok(permit.transpose()?)
    }

    /// Returns the configuration of the model.
    pub fn model(&self) -> &'a ModelSpec {
        self.model
    }

    /// Returns the number of rows, or 1 for a model without a batch axis.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the inputs in the order of the model, with `None` for omitted ones.
    pub fn inputs(&self) -> &[Option<TrackedTensor>] {
        &self.inputs
    }

    /// Returns the tensor of an input, or `None` if it is omitted.
    ///
    /// # Errors
    ///
    /// Returns [`StepError::NoInput`] if the input does not exist.
    pub fn tensor(&self, input: &str) -> Result<Option<&Tensor>, StepError> {
        Ok(self.inputs[self.index(input)?].as_deref())
    }

    /// Returns an input as an array, or `None` if it is omitted. The memory of an array that must
    /// be decoded is reserved until the step has returned.
    ///
    /// # Errors
    ///
    /// Returns [`StepError::NoInput`] if the input does not exist, [`StepError::Input`] if it has
    /// another element type, or [`StepError::Budget`] if the memory cannot be reserved.
    pub fn array<T: Element>(
        &self,
        input: &str,
    ) -> Result<Option<CowArray<'_, T, IxDyn>>, StepError> {
        let index = self.index(input)?;
        let Some(tensor) = &self.inputs[index] else {
            return Ok(None);
        };
        let permit = self.reserve(decoded_bytes_of::<T>(tensor))?;
        self.decoded.lock().extend(permit);
        let array = array(tensor).map_err(|source| StepError::input(self.model, index, source))?;
        Ok(Some(array))
    }

    /// Returns the memory of decoded arrays to the budget, after a step has returned.
    pub(crate) fn release_decoded(&self) {
        self.decoded.lock().clear();
    }

    /// Sets or replaces the tensor of an input. Its memory is reserved, unless it is part of one of
    /// the inputs. After the step, all inputs must have the same number of rows.
    ///
    /// # Errors
    ///
    /// Returns [`StepError::NoInput`] if the input does not exist, [`StepError::Replaced`] if the
    /// element type or dims do not match the model, or [`StepError::Budget`] if the memory cannot
    /// be reserved.
    pub fn set(&mut self, input: &str, tensor: Tensor) -> Result<(), StepError> {
        let tensor = TrackedTensor::part_of(tensor, self.inputs.iter().flatten());
        let tensor = tensor.or_else(|tensor| TrackedTensor::reserved(tensor, self.budget))?;
        self.set_reserved(input, tensor)
    }

    /// As [`set`](Self::set), for a tensor whose memory is reserved already.
    pub(crate) fn set_reserved(
        &mut self,
        input: &str,
        tensor: TrackedTensor,
    ) -> Result<(), StepError> {
        let index = self.index(input)?;
        let spec = &self.model.inputs[index];
        if tensor.datatype() != spec.datatype || !self.model.fits(spec, tensor.shape()) {
            return Err(StepError::Replaced {
                model: Arc::clone(&self.model.name),
                input: Arc::clone(&spec.name),
                expected: described(spec, &self.model.client_dims(spec)),
                got: format!("{} {}", tensor.datatype(), shape_text(tensor.shape())),
            });
        }
        self.inputs.to_mut()[index] = Some(tensor);
        Ok(())
    }

    /// Checks the inputs after a step and updates the number of rows.
    pub(crate) fn checked(mut self) -> Result<Self, StepError> {
        if !self.model.batching() {
            return Ok(self);
        }
        let mut rows = None;
        for (tensor, spec) in self.inputs.iter().zip(&self.model.inputs) {
            let Some(tensor) = tensor else { continue };
            let expected = *rows.get_or_insert(tensor.rows());
            if tensor.rows() != expected {
                return Err(StepError::UnequalRows {
                    model: Arc::clone(&self.model.name),
                    input: Arc::clone(&spec.name),
                    expected,
                    got: tensor.rows(),
                });
            }
        }
        self.rows = rows.unwrap_or(self.rows);
        Ok(self)
    }

    pub(crate) fn into_inputs(self) -> Cow<'a, [Option<TrackedTensor>]> {
        self.inputs
    }

    /// Reserves the memory of lists and tensors when the batch is split into this many groups,
    /// without the copies of their inputs.
    pub(crate) fn reserve_groups(&self, groups: usize) -> Result<Option<MemoryPermit>, StepError> {
        let rows = self.rows.saturating_mul(self.inputs.len() + 1);
        let tensors = groups.saturating_mul(self.model.outputs.len() + 2);
        self.reserve(rows.saturating_add(tensors).saturating_mul(TENSOR_BYTES))
    }

    /// Splits every input into its rows, from which groups are assembled.
    pub(crate) fn single_rows(&self) -> Result<Vec<Option<SingleRows>>, StepError> {
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(index, tensor)| {
            let rows = tensor.as_ref().map(single_rows).transpose();
            rows.map_err(|source| StepError::input(self.model, index, source))
        });
        inputs.collect()
    }

    /// Returns a batch of some rows.
    pub(crate) fn group(
        &self,
        inputs: &[Option<SingleRows>],
        rows: &[usize],
    ) -> Result<Self, StepError> {
        let inputs = inputs.iter().enumerate().map(|(index, input)| {
            let Some(input) = input else { return Ok(None) };
            let group = input.group(rows, self.budget);
            group.map(Some).map_err(|error| match error {
                StackError::Budget(error) => error.into(),
                StackError::Tensor(source) => StepError::input(self.model, index, source),
            })
        });
        let inputs = inputs.collect::<Result<_, StepError>>()?;
        Ok(Self::new(self.model, rows.len(), inputs).counted_in(self.budget))
    }

    fn index(&self, input: &str) -> Result<usize, StepError> {
        let index = self.model.input_index(input);
        index.ok_or_else(|| StepError::NoInput {
            model: Arc::clone(&self.model.name),
            input: input.to_owned(),
        })
    }
}

/// The maximum memory of a tensor in addition to its elements, with its shape and its list entry.
const TENSOR_BYTES: usize = 192;

/// A tensor split into its rows.
#[derive(Debug)]
pub(crate) struct SingleRows {
    rows: Vec<TrackedTensor>,
    /// The tensor without rows.
    none: TrackedTensor,
}

impl SingleRows {
    /// Stacks these rows. The memory of a copy is reserved; a single row is not copied.
    fn group(
        &self,
        rows: &[usize],
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<TrackedTensor, StackError> {
        let rows: Vec<_> = rows.iter().filter_map(|&row| self.rows.get(row)).collect();
        match rows.is_empty() {
            true => Ok(self.none.clone()),
            false => TrackedTensor::stack(&rows, budget),
        }
    }

    pub(crate) fn get(&self, row: usize) -> Option<&TrackedTensor> {
        self.rows.get(row)
    }

    pub(crate) fn none(&self) -> &TrackedTensor {
        &self.none
    }
}

/// Splits a tensor into its rows.
pub(crate) fn single_rows(tensor: &TrackedTensor) -> Result<SingleRows, TensorError> {
    Ok(SingleRows {
        rows: tensor.split(&vec![1; tensor.rows()])?,
        none: tensor.rows_from(0, 0)?,
    })
}

fn described(spec: &TensorSpec, dims: &[i64]) -> String {
    format!("{} {}", spec.datatype, shape_text(dims))
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    const KIB: usize = 1 << 10;

    #[test]
    fn the_copy_of_a_group_is_reserved_until_it_is_dropped() {
        let spec = IDENTITY.spec().unwrap();
        // Four rows of 4 KiB.
        let input = Tensor::from_elements(vec![4, 1024], vec![1.0_f32; 4 * 1024]).unwrap();
        let inputs = [Some(input.into())];
        let budget = MemoryBudget::new(10 * KIB);
        let batch = Batch::new(&spec, 4, Cow::Borrowed(&inputs)).counted_in(Some(&budget));
        let rows = batch.single_rows().unwrap();
        let group = batch.group(&rows, &[0, 2]).unwrap();
        assert_eq!(budget.reserved(), 8 * KIB);
        let refused = batch.group(&rows, &[1, 3]).unwrap_err();
        assert!(matches!(refused, StepError::Budget(error) if error.bytes == 8 * KIB));
        drop(group);
        assert_eq!(budget.reserved(), 0);
        // A single row is a slice of its batch.
        let _group = batch.group(&rows, &[3]).unwrap();
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn the_lists_of_many_groups_are_reserved() {
        let spec = IDENTITY.spec().unwrap();
        let budget = MemoryBudget::new(1 << 20);
        let batch =
            |rows| Batch::new(&spec, rows, Cow::Owned(vec![None])).counted_in(Some(&budget));
        let permit = batch(1000).reserve_groups(1000).unwrap();
        assert!(budget.reserved() >= 1000 * 2 * TENSOR_BYTES);
        drop(permit);
        assert!(batch(65_000).reserve_groups(65_000).is_err());
        assert_eq!(budget.reserved(), 0);
    }
}
