use std::sync::Arc;

use ndarray::{Array, Dimension};

use crate::memory_budget::{MIN_TRACKED_BYTES, MemoryBudget, MemoryBudgetError, MemoryPermit};
use crate::model::ModelSpec;
use crate::request::{Parameters, Request, SmallVec};
use crate::tensor::{Element, Tensor, TensorError};
use crate::tracked_tensor::TrackedTensor;

use super::{ModelError, Output, ResponseParts, RowFailure};

/// Converts the outputs of one response, in order, and reserves their memory before it is
/// allocated.
///
/// Only a writer creates [`ResponseParts`], so that a function's response has no memory without a
/// reservation if there is a budget.
#[derive(Debug)]
pub struct OutputWriter<'m> {
    model: &'m ModelSpec,
    budget: Option<&'m Arc<MemoryBudget>>,
    /// The requests of the call. Their inputs are reserved already.
    requests: &'m [Request],
    tensors: Vec<Option<TrackedTensor>>,
    failures: Vec<RowFailure>,
    /// The memory of an output that could not be reserved.
    refused: Option<MemoryBudgetError>,
}

impl<'m> OutputWriter<'m> {
    /// Starts with the first output of the model.
    pub fn new(model: &'m ModelSpec, budget: Option<&'m Arc<MemoryBudget>>) -> Self {
        Self {
            model,
            budget,
            requests: &[],
            tensors: Vec::new(),
            failures: Vec::new(),
            refused: None,
        }
    }

    /// Starts with the first output of a call of these requests.
    pub(super) fn of_call(
        model: &'m ModelSpec,
        budget: Option<&'m Arc<MemoryBudget>>,
        requests: &'m [Request],
    ) -> Self {
        Self {
            requests,
            ..Self::new(model, budget)
        }
    }

    /// Starts another response.
    pub(super) fn restart(&self) -> Self {
        Self::of_call(self.model, self.budget, self.requests)
    }

    /// Returns the model.
    pub fn model(&self) -> &'m ModelSpec {
        self.model
    }

    /// Converts the next output.
    pub fn write(&mut self, output: impl Output) {
        output.write(self);
    }

    /// Converts an array to the next output. Arrays in row-major order are not copied.
    pub fn array<T: Element, D: Dimension>(&mut self, array: Array<T, D>) {
        if self.refused.is_none() {
            let mut errors = Vec::new();
            let tensor = self.encode(array, &mut errors);
            self.push(tensor, errors);
        }
    }

    /// Adds a tensor of the function as the next output. A part of an input is reserved already.
    pub fn tensor(&mut self, tensor: Tensor) {
        if self.refused.is_none() {
            let tensor = self.part_of_input(tensor);
            let tensor = tensor.or_else(|tensor| TrackedTensor::reserved(tensor, self.budget));
            self.push(tensor, Vec::new());
        }
    }

    /// Omits the next output.
    pub fn omit(&mut self) {
        self.slots().push(None);
    }

    /// Converts an array to the only output.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    #[inline]
    pub(super) fn only<T: Element, D: Dimension>(
        self,
        array: Array<T, D>,
    ) -> Result<ResponseParts, ModelError> {
        let mut errors = Vec::new();
        let tensor = self.encode(array, &mut errors)?;
        Ok(ResponseParts {
            failures: RowFailure::collect(self.model, 0, &tensor, errors),
            tensors: SmallVec::one(Some(tensor)),
            parameters: Parameters::default(),
        })
    }

    /// Returns the outputs.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::Budget`] if the memory of an output could not be reserved.
    pub fn finish(mut self) -> Result<ResponseParts, ModelError> {
        if let Some(refused) = self.refused {
            return Err(refused.into());
        }
        RowFailure::sort(&mut self.failures);
        Ok(ResponseParts {
            tensors: self.tensors.into(),
            failures: self.failures,
            parameters: Parameters::default(),
        })
    }

    fn push(&mut self, tensor: Result<TrackedTensor, MemoryBudgetError>, errors: Vec<TensorError>) {
        match tensor {
            Ok(tensor) => {
                let failed = RowFailure::collect(self.model, self.tensors.len(), &tensor, errors);
                self.failures.extend(failed);
                self.slots().push(Some(tensor));
            }
            Err(error) => {
                self.refused.get_or_insert(error);
            }
        }
    }

    fn slots(&mut self) -> &mut Vec<Option<TrackedTensor>> {
        if self.tensors.is_empty() {
            self.tensors.reserve_exact(self.model.outputs.len());
        }
        &mut self.tensors
    }

    fn encode<T: Element, D: Dimension>(
        &self,
        array: Array<T, D>,
        errors: &mut Vec<TensorError>,
    ) -> Result<TrackedTensor, MemoryBudgetError> {
        // Small outputs do not touch the budget.
        let mut permit: Option<MemoryPermit> = None;
        let tensor = Tensor::from_array_lossy(array, errors, |bytes| match self.budget {
            Some(budget) if permit.is_some() || bytes >= MIN_TRACKED_BYTES => permit
                .get_or_insert_with(|| budget.empty_permit())
                .resize(bytes),
            _ => Ok(()),
        })?;
        match permit {
            Some(permit) => TrackedTensor::new(tensor, permit),
            None => TrackedTensor::reserved(tensor, self.budget),
        }
    }

    /// Returns the tensor if it is a part of an input, which is reserved.
    fn part_of_input(&self, tensor: Tensor) -> Result<TrackedTensor, Tensor> {
        let inputs = self.requests.iter().flat_map(Request::inputs);
        TrackedTensor::part_of(tensor, inputs.flatten())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use crate::request::Response;
    use crate::testing::{IDENTITY, heap, request};

    use super::super::returned::responses;
    use super::super::{EachOutputs, Outputs, Returned, RowGroup};
    use super::*;

    const KIB: usize = 1 << 10;

    /// Returns one row of 8 KiB for each of `count` requests.
    fn rows_of_8_kib(count: usize) -> Array2<f32> {
        Array2::zeros((count, 2048))
    }

    fn split(
        spec: &Arc<ModelSpec>,
        count: usize,
        returned: Result<Returned, ModelError>,
        budget: &Arc<MemoryBudget>,
    ) -> Vec<Result<Response, ModelError>> {
        let requests: Vec<_> = (0..count).map(|_| request(spec, 1, 0.0)).collect();
        match returned {
            Ok(returned) => responses(spec, &requests, returned, Some(budget)).into(),
            Err(error) => vec![Err(error); count],
        }
    }

    #[test]
    fn one_response_keeps_the_outputs_of_its_whole_batch_reserved() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(100 * KIB);
        let returned = |count| {
            let writer = OutputWriter::new(&spec, Some(&budget));
            let parts = rows_of_8_kib(count).into_parts(writer);
            parts.map(Returned::Call)
        };
        for count in [1, 2, 12] {
            for index in [0, count - 1] {
                let mut responses = split(&spec, count, returned(count), &budget);
                assert_eq!(budget.reserved(), count * 8 * KIB);
                let response = responses.swap_remove(index).unwrap();
                drop(responses);
                assert_eq!(budget.reserved(), count * 8 * KIB, "of {count}");
                drop(response);
                assert_eq!(budget.reserved(), 0);
            }
        }
        let responses = split(&spec, 13, returned(13), &budget);
        let refused = |response: &Result<Response, _>| matches!(response, Err(ModelError::Budget(error)) if error.bytes == 13 * 8 * KIB);
        assert!(responses.iter().all(refused), "{responses:?}");
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn each_output_of_a_raw_function_is_reserved_separately() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(20 * KIB);
        let each: Vec<_> = (0..3).map(|_| rows_of_8_kib(1)).collect();
        let each = each.into_responses(OutputWriter::new(&spec, Some(&budget)));
        let mut responses = split(&spec, 3, each.map(Returned::Each), &budget);
        assert_eq!(budget.reserved(), 16 * KIB);
        assert!(matches!(responses.pop(), Some(Err(ModelError::Budget(_)))));
        drop(responses.pop());
        assert_eq!(budget.reserved(), 8 * KIB);
    }

    #[test]
    fn rows_joined_from_several_groups_are_reserved_again() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let budget = MemoryBudget::new(100 * KIB);
        let group = |rows: &[usize]| {
            let writer = OutputWriter::new(&spec, Some(&budget));
            let parts = rows_of_8_kib(rows.len()).into_parts(writer);
            RowGroup {
                rows: rows.to_vec(),
                ..RowGroup::all(rows.len(), parts)
            }
        };
        let requests = [request(&spec, 2, 0.0)];
        let returned = Returned::RowGroups(vec![group(&[1]), group(&[0])]);
        assert_eq!(budget.reserved(), 16 * KIB);
        let responses = responses(&spec, &requests, returned, Some(&budget));
        assert_eq!(budget.reserved(), 16 * KIB);
        drop(responses);
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn memory_is_reserved_before_outputs_are_converted() {
        type Pair<T> = (Array2<f32>, Array2<T>);
        /// Writes an output of 80 KiB and one that takes `bytes` when it is converted.
        fn check<T: Element>(second: impl Fn() -> Array2<T>, bytes: usize) {
            let spec = IDENTITY.spec().unwrap();
            for limit in [0, 80 * KIB - 1, 80 * KIB, 80 * KIB + bytes - 1] {
                let budget = MemoryBudget::new(limit);
                let pair: Pair<T> = (rows_of_8_kib(10), second());
                let writer = OutputWriter::new(&spec, Some(&budget));
                let (parts, peak) = heap::peak(|| pair.into_parts(writer));
                assert!(matches!(parts, Err(ModelError::Budget(_))), "{parts:?}");
                assert!(peak < 4 * KIB, "{peak} bytes with {limit}");
                // The second output is not converted if the first one is refused.
                let first = if limit < 80 * KIB { 0 } else { 80 * KIB };
                assert_eq!((budget.peak(), budget.reserved()), (first, 0));
            }
            let budget = MemoryBudget::new(80 * KIB + bytes);
            let pair: Pair<T> = (rows_of_8_kib(10), second());
            let parts = pair.into_parts(OutputWriter::new(&spec, Some(&budget)));
            assert_eq!(parts.unwrap().tensors.len(), 2);
            assert_eq!(budget.peak(), 80 * KIB + bytes);
        }
        check(
            || Array2::from_elem((8, 1000), "12345".to_owned()),
            8 * 9000,
        );
        check(|| Array2::from_elem((8, 1000), vec![7_u8; 5]), 8 * 9000);
        let wide = || Array2::from_elem((1000, 9), 7_u64);
        check(|| wide().reversed_axes(), 72_000);
        check(|| wide().slice_move(s![..;-1, ..]), 72_000);
        let texts = Array2::from_elem((1000, 8), "12345".to_owned());
        check(|| texts.clone().reversed_axes(), 72_000);
    }
}
