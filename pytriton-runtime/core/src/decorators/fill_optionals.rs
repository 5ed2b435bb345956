use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::error::Error;
use crate::model::{ModelSpec, TensorSpec};
use crate::tensor::{Element, Tensor, TensorError, element_count};

use super::repeated::repeated;
use super::{Batch, DefaultValue, Step, StepError};

/// `#[fill_optionals(input = value)]`: the default value of an optional input.
///
/// The value is that of one row: an array with the dims of the input, or a single element. A single
/// element fills all fixed dims. A variable dim then has size 1.
///
/// # Examples
///
/// ```
/// # use pytriton_core::decorators::{FillOptional, Step};
/// static SCALE: &dyn Step = &FillOptional::<f32, _>::new("scale", 1.0);
/// static WORDS: &dyn Step = &FillOptional::<String, _>::new("words", ["yes", "no"]);
/// static ANGLES: &dyn Step = &FillOptional::<f64, _>::new("angles", [[0.0, 0.5], [1.0, 1.5]]);
/// ```
#[derive(Clone, Copy)]
pub struct FillOptional<T, V> {
    input: &'static str,
    value: V,
    element: PhantomData<fn() -> T>,
}

impl<T: Element, V: DefaultValue<T>> FillOptional<T, V> {
    /// Creates the step for an input.
    pub const fn new(input: &'static str, value: V) -> Self {
        Self {
            input,
            value,
            element: PhantomData,
        }
    }

    /// Returns the value of one row.
    fn row(&self, input: &TensorSpec) -> Result<Tensor, TensorError> {
        let mut elements = Vec::new();
        self.value.elements(&mut elements);
        let mut dims = self.value.dims();
        if let ([], [element]) = (dims.as_slice(), elements.as_slice()) {
            let declared = input.dims.iter();
            // A variable dim is -1.
            dims = declared
                .map(|&dim| usize::try_from(dim).unwrap_or(1))
                .collect();
            elements = vec![element.clone(); element_count(&dims)?];
        }
        Tensor::from_elements(dims, elements)
    }
}

impl<T: Element, V: DefaultValue<T>> Step for FillOptional<T, V> {
    fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        let index = StepError::need_input(model, self.input)?;
        if !model.inputs[index].optional {
            return Err(StepError::NotOptional {
                model: Arc::clone(&model.name),
                input: Arc::clone(&model.inputs[index].name),
            }
            .into());
        }
        // The input is filled after the limit has been applied.
        if model.cost_input == Some(index) {
            return Err(StepError::FilledCost {
                model: Arc::clone(&model.name),
                input: Arc::clone(&model.inputs[index].name),
            }
            .into());
        }
        let nothing = vec![None; model.inputs.len()];
        self.prepare(&mut Batch::new(model, 1, Cow::Owned(nothing)))
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let model = batch.model();
        let index = StepError::need_input(model, self.input)?;
        if batch.inputs()[index].is_some() {
            return Ok(());
        }
        let row = self.row(&model.inputs[index]);
        let row = row.map_err(|source| StepError::input(model, index, source))?;
        let rows = batch.rows();
        match model.batching() {
            true => {
                let shape = [&[rows], row.shape()].concat();
                let tensor = repeated(batch, index, shape, &[], &row, rows)?;
                Ok(batch.set_reserved(self.input, tensor)?)
            }
            false => batch.set(self.input, row),
        }
    }
}

impl<T, V: fmt::Debug> fmt::Debug for FillOptional<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, value, .. } = self;
        write!(f, "FillOptional({input} = {value:?})")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    /// The model `Identity` with an optional input of these dims.
    fn spec<T: Element>(dims: &[i64]) -> ModelSpec {
        let mut spec = IDENTITY.spec().unwrap();
        spec.inputs.push(TensorSpec {
            name: "o".into(),
            datatype: T::DATATYPE,
            dims: dims.to_vec(),
            optional: true,
            description: Arc::default(),
            example: Arc::default(),
        });
        spec
    }

    #[test]
    fn input_that_is_the_cost_is_refused() {
        let mut spec = spec::<i64>(&[2]);
        let step = FillOptional::<i64, _>::new("o", [0_i64, 0]);
        for (cost, refused) in [(None, false), (Some(0), false), (Some(1), true)] {
            spec.cost_input = cost;
            let error = step.check(&spec).err().map(StepError::of);
            let is_refused = matches!(error, Some(StepError::FilledCost { .. }));
            assert_eq!(is_refused, refused, "{cost:?}: {error:?}");
        }
    }

    /// Returns the input after the step, for a batch of `rows` rows that omits it.
    fn filled<T: Element, V: DefaultValue<T>>(
        spec: &ModelSpec,
        rows: usize,
        value: V,
    ) -> Result<Tensor, String> {
        let step = FillOptional::<T, V>::new("o", value);
        let mut batch = Batch::new(spec, rows, Cow::Owned(vec![None, None]));
        let prepared = step.prepare(&mut batch);
        let prepared = prepared.map_err(|error| error.to_string());
        let checked = step.check(spec);
        assert_eq!(checked.map_err(|error| error.to_string()), prepared);
        prepared?;
        Ok(batch.inputs()[1].clone().unwrap().into_tensor())
    }

    fn tensor<T: Element>(shape: &[usize], elements: Vec<T>) -> Result<Tensor, String> {
        Ok(Tensor::from_elements(shape, elements).unwrap())
    }

    #[test]
    fn value_is_repeated_for_each_row() {
        let spec_of = spec::<f32>(&[-1]);
        assert_eq!(
            filled::<f32, _>(&spec_of, 2, 1.5),
            tensor::<f32>(&[2, 1], vec![1.5, 1.5])
        );
        let expected = tensor::<f32>(&[2, 2], vec![1.0, 2.0, 1.0, 2.0]);
        assert_eq!(filled::<f32, _>(&spec_of, 2, [1.0, 2.0]), expected);
        assert_eq!(
            filled::<f32, _>(&spec_of, 0, 1.5),
            tensor::<f32>(&[0, 1], Vec::new())
        );

        let spec_of = spec::<i64>(&[2, 3]);
        assert_eq!(
            filled::<i64, _>(&spec_of, 1, -7),
            tensor::<i64>(&[1, 2, 3], vec![-7; 6])
        );
        let expected = tensor::<i64>(&[1, 2, 3], vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(
            filled::<i64, _>(&spec_of, 1, [[1, 2, 3], [4, 5, 6]]),
            expected
        );

        let spec_of = spec::<String>(&[1]);
        let words = |words: &[&str]| words.iter().map(|&it| it.to_owned()).collect();
        let expected = tensor::<String>(&[2, 1], words(&["é", "é"]));
        assert_eq!(filled::<String, _>(&spec_of, 2, "é"), expected);
        assert_eq!(filled::<Vec<u8>, _>(&spec_of, 2, ["é"]), expected);
        let bytes = tensor::<Vec<u8>>(&[1, 1], vec![vec![0xff, 0]]);
        assert_eq!(filled::<Vec<u8>, _>(&spec_of, 1, b"\xff\0"), bytes);
    }

    #[test]
    fn present_inputs_are_unchanged() {
        let spec = spec::<f32>(&[1]);
        let given = Tensor::from_elements(vec![1, 1], vec![4.0_f32]).unwrap();
        let inputs = vec![None, Some(given.clone().into())];
        let mut batch = Batch::new(&spec, 1, Cow::Owned(inputs));
        let step = FillOptional::<f32, _>::new("o", 1.0);
        step.prepare(&mut batch).unwrap();
        assert_eq!(batch.inputs()[1], Some(given.into()));
    }

    #[test]
    fn model_without_batch_axis_gets_one_value() {
        let mut spec = spec::<bool>(&[2]);
        spec.max_batch_size = 0;
        assert_eq!(
            filled(&spec, 1, true),
            tensor::<bool>(&[2], vec![true, true])
        );
    }

    #[test]
    fn value_of_another_shape_is_refused() {
        let table = [
            filled(&spec::<f32>(&[3]), 1, [1.0_f32, 2.0]),
            filled(&spec::<f32>(&[3]), 1, [[1.0_f32, 2.0, 3.0]]),
            filled(&spec::<f32>(&[3]), 1, 1.0_f64),
        ];
        for (got, found) in table
            .into_iter()
            .zip(["FP32 [1,2]", "FP32 [1,1,3]", "FP64 [1,3]"])
        {
            let expected = format!(
                "a step changed input 'o' of model 'Identity' to {found}, expected FP32 [-1,3]"
            );
            assert_eq!(got, Err(expected));
        }
        let table = [
            ("z", "model 'Identity' has no input 'z'"),
            (
                "INPUT_1",
                "input 'INPUT_1' of model 'Identity' is required: only an optional input can have a default value",
            ),
        ];
        for (input, text) in table {
            let step = FillOptional::<f32, _>::new(input, 1.0);
            let error = step.check(&spec::<f32>(&[1])).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }
}
