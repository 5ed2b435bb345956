use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pytriton_runtime::model::{ModelSpec, TensorSpec};
use pytriton_runtime::request::InferInput;

use crate::borrow_scope::BorrowScope;
use crate::input::{input, plain};
use crate::validation_error::ValidationError;

/// The arguments of a call, by input name.
pub(crate) struct Arguments<'py>(Vec<(String, Bound<'py, PyAny>)>);

impl<'py> Arguments<'py> {
    /// Assigns positional and named arguments to inputs. `None` means an omitted input.
    pub(crate) fn of(
        spec: &ModelSpec,
        positional: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let (max_inputs, got) = (spec.inputs.len(), positional.len());
        if got > max_inputs {
            return Err(ValidationError::Inputs {
                model: spec.name.to_string(),
                most: max_inputs,
                given: got,
            }
            .into());
        }
        let names = spec.inputs.iter().map(|input| input.name.to_string());
        let mut arguments: Vec<_> = names.zip(positional.iter()).collect();
        if let Some(named) = named {
            arguments.extend(Self::named(named)?.0);
        }
        arguments.retain(|(_, value)| !value.is_none());
        Ok(Self(arguments))
    }

    /// Inputs by name.
    pub(crate) fn named(named: &Bound<'py, PyDict>) -> PyResult<Self> {
        let arguments = named
            .iter()
            .map(|(name, value)| Ok((name.extract()?, value)));
        Ok(Self(arguments.collect::<PyResult<_>>()?))
    }

    /// Converts the arguments to the inputs of a request.
    ///
    /// An array keeps its type. Other values become an array of the input's datatype. A single
    /// value becomes an array of the input's shape with as many rows as the other inputs.
    pub(crate) fn inputs(self, spec: &ModelSpec, scope: &BorrowScope) -> PyResult<Vec<InferInput>> {
        let mut arrays = Vec::with_capacity(self.0.len());
        for (name, value) in self.0 {
            let declared = spec.input_index(&name).map(|index| &spec.inputs[index]);
            let array = match value.cast::<PyUntypedArray>() {
                Ok(array) => (array.clone(), false),
                Err(_) => {
                    let array = plain(&value, &name, declared)?;
                    let single = array.ndim() == 0;
                    (array, single)
                }
            };
            arrays.push((name, declared, array));
        }
        let rows = arrays
            .iter()
            .find_map(|(_, _, (array, single))| match single {
                true => None,
                false => array.shape().first().copied(),
            });
        let rows = rows.unwrap_or(1);
        let inputs = arrays.into_iter().map(|(name, declared, (array, single))| {
            let array = match declared {
                Some(declared) if single => filled(&array, &shape(spec, declared, rows))?,
                _ => array,
            };
            input(name, declared, &array, scope.token())
        });
        inputs.collect()
    }
}

/// Returns the shape of an input that is filled with one value.
fn shape(spec: &ModelSpec, input: &TensorSpec, rows: usize) -> Vec<usize> {
    let dims = input.dims.iter();
    // Open dimensions have size 1.
    let dims = dims.map(|dim| usize::try_from(*dim).unwrap_or(1));
    spec.batching()
        .then_some(rows)
        .into_iter()
        .chain(dims)
        .collect()
}

fn filled<'py>(
    value: &Bound<'py, PyUntypedArray>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let shape = PyTuple::new(py, shape)?;
    let broadcast = py
        .import("numpy")?
        .call_method1("broadcast_to", (value, shape))?;
    Ok(broadcast.cast_into()?)
}
