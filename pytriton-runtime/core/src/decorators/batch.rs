use std::borrow::Cow;
use std::iter::repeat_n;
use std::sync::Arc;

use ndarray::{CowArray, IxDyn};
use parking_lot::Mutex;

use crate::error::Error;
use crate::memory_budget::{MemoryBudget, MemoryPermit};
use crate::model::{ModelSpec, TensorSpec};
use crate::tensor::{Element, Tensor, array, shape_text};
use crate::tracked_tensor::{StackError, TrackedTensor};

use super::decoded::decoded_bytes_of;
use super::single_rows::ragged_rows;
use super::{RowOffsets, SingleRows, StepError, single_rows};

/// The inputs of one call, batch axis first if the model has one.
#[derive(Debug)]
pub struct Batch<'a> {
    model: &'a ModelSpec,
    rows: usize,
    /// The inputs in the order of the model.
    inputs: Cow<'a, [Option<TrackedTensor>]>,
    /// The rows of each ragged input, and `None` for others. Empty if the model has none.
    offsets: Vec<Option<RowOffsets>>,
    /// The budget for memory that steps allocate.
    budget: Option<&'a Arc<MemoryBudget>>,
    /// The memory of arrays that are decoded from the inputs, until the step has returned.
    decoded: Mutex<Vec<MemoryPermit>>,
}

impl Clone for Batch<'_> {
    fn clone(&self) -> Self {
        Self::new(self.model, self.rows, self.inputs.clone())
            .with_offsets(self.offsets.clone())
            .counted_in(self.budget)
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
            offsets: Vec::new(),
            budget: None,
            decoded: Mutex::default(),
        }
    }

    /// Sets the rows of ragged inputs.
    pub(crate) fn with_offsets(self, offsets: Vec<Option<RowOffsets>>) -> Self {
        Self { offsets, ..self }
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

    /// Returns the inputs in the order of the model, with `None` for omitted ones. The tensor of a
    /// ragged input has one dimension, which contains the values of all rows.
    pub fn inputs(&self) -> &[Option<TrackedTensor>] {
        &self.inputs
    }

    /// Returns the tensor of an input, or `None` if it is omitted. A ragged input is as in
    /// [`inputs`](Self::inputs).
    ///
    /// # Errors
    ///
    /// Returns an error if the input does not exist.
    pub fn tensor(&self, input: &str) -> Result<Option<&Tensor>, Error> {
        Ok(self.inputs[self.index(input)?].as_deref())
    }

    /// Returns where the rows of a ragged input begin and end among its values: 0, followed by the
    /// end of each row. `None` if the input is omitted or not ragged.
    ///
    /// # Errors
    ///
    /// Returns an error if the input does not exist.
    pub fn offsets(&self, input: &str) -> Result<Option<&[usize]>, Error> {
        let offsets = self.offsets_of(self.index(input)?);
        Ok(offsets.map(RowOffsets::as_slice))
    }

    pub(crate) fn offsets_of(&self, input: usize) -> Option<&RowOffsets> {
        self.offsets.get(input)?.as_ref()
    }

    /// Returns an input as an array, or `None` if it is omitted. The memory of an array that must
    /// be decoded is reserved until the step has returned. A ragged input has one dimension, and
    /// [`offsets`](Self::offsets) returns its rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the input does not exist or has another element type, or if the memory
    /// cannot be reserved.
    pub fn array<T: Element>(&self, input: &str) -> Result<Option<CowArray<'_, T, IxDyn>>, Error> {
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
    /// the inputs. After the step, all inputs must have the same number of rows. The tensor of a
    /// ragged input has two dimensions here, so that all rows have the same length.
    ///
    /// # Errors
    ///
    /// Returns an error if the input does not exist, if the element type or dims do not match the
    /// model, or if the memory cannot be reserved.
    pub fn set(&mut self, input: &str, tensor: Tensor) -> Result<(), Error> {
        let tensor = TrackedTensor::part_of(tensor, self.inputs.iter().flatten());
        let tensor = tensor.or_else(|tensor| TrackedTensor::reserved(tensor, self.budget))?;
        Ok(self.set_reserved(input, tensor)?)
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
        let tensor = match *tensor.shape() {
            [rows, length] if self.model.is_ragged(index) => {
                let offsets = RowOffsets::new(rows, repeat_n(length, rows), self.budget)?;
                let values = tensor.reshaped([offsets.values()].as_slice());
                let failed = |source| StepError::input(self.model, index, source);
                return values
                    .map(|values| self.set_ragged(index, values, offsets))
                    .map_err(failed);
            }
            _ => tensor,
        };
        self.inputs.to_mut()[index] = Some(tensor);
        Ok(())
    }

    /// Replaces the values and rows of a ragged input.
    pub(crate) fn set_ragged(&mut self, input: usize, values: TrackedTensor, rows: RowOffsets) {
        self.inputs.to_mut()[input] = Some(values);
        self.offsets.resize(self.inputs.len(), None);
        self.offsets[input] = Some(rows);
    }

    /// Checks the inputs after a step and updates the number of rows.
    pub(crate) fn checked(mut self) -> Result<Self, StepError> {
        if !self.model.batching() {
            return Ok(self);
        }
        let mut rows = None;
        for (index, tensor) in self.inputs.iter().enumerate() {
            let Some(tensor) = tensor else { continue };
            let got = self
                .offsets_of(index)
                .map_or(tensor.rows(), RowOffsets::rows);
            let expected = *rows.get_or_insert(got);
            if got != expected {
                return Err(StepError::UnequalRows {
                    model: Arc::clone(&self.model.name),
                    input: Arc::clone(&self.model.inputs[index].name),
                    expected,
                    got,
                });
            }
        }
        self.rows = rows.unwrap_or(self.rows);
        Ok(self)
    }

    /// Returns the inputs, and the rows of ragged ones.
    pub(crate) fn into_inputs(self) -> BatchInputs<'a> {
        (self.inputs, self.offsets)
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
            let rows = tensor.as_ref().map(|tensor| match self.offsets_of(index) {
                Some(offsets) => ragged_rows(tensor, offsets),
                None => single_rows(tensor),
            });
            rows.transpose()
                .map_err(|source| StepError::input(self.model, index, source))
        });
        inputs.collect()
    }

    /// Returns a batch of some rows.
    pub(crate) fn group(
        &self,
        inputs: &[Option<SingleRows>],
        rows: &[usize],
    ) -> Result<Self, StepError> {
        let offsets = inputs.iter().enumerate().map(|(index, input)| {
            let (Some(input), Some(_)) = (input, self.offsets_of(index)) else {
                return Ok(None);
            };
            let lengths = rows.iter().map(|&row| input.get(row));
            let lengths = lengths.map(|values| values.map_or(0, |values| values.rows()));
            RowOffsets::new(rows.len(), lengths, self.budget).map(Some)
        });
        let offsets = match self.offsets.is_empty() {
            true => Vec::new(),
            false => offsets.collect::<Result<_, _>>()?,
        };
        let inputs = inputs.iter().enumerate().map(|(index, input)| {
            let Some(input) = input else { return Ok(None) };
            let group = input.group(rows, self.budget);
            group.map(Some).map_err(|error| match error {
                StackError::Budget(error) => error.into(),
                StackError::Tensor(source) => StepError::input(self.model, index, source),
            })
        });
        let inputs = inputs.collect::<Result<_, StepError>>()?;
        Ok(Self::new(self.model, rows.len(), inputs)
            .with_offsets(offsets)
            .counted_in(self.budget))
    }

    fn index(&self, input: &str) -> Result<usize, StepError> {
        let index = self.model.input_index(input);
        index.ok_or_else(|| StepError::NoInput {
            model: Arc::clone(&self.model.name),
            input: input.to_owned(),
        })
    }
}

/// The inputs of a batch, and the rows of ragged ones.
pub(crate) type BatchInputs<'a> = (Cow<'a, [Option<TrackedTensor>]>, Vec<Option<RowOffsets>>);

/// The maximum memory of a tensor in addition to its elements, with its shape and its list entry.
const TENSOR_BYTES: usize = 192;

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
