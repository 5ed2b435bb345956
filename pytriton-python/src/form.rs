use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::request::Response;

use crate::output::output;

/// How outputs are returned.
pub(crate) enum Form {
    /// A single output, directly.
    One,
    /// A named tuple.
    Named(Py<PyAny>),
    /// A dict.
    Dict,
}

impl Form {
    /// Returns the form for a model's function.
    pub(crate) fn new(py: Python<'_>, spec: &ModelSpec) -> PyResult<Self> {
        if spec.outputs.len() == 1 {
            return Ok(Self::One);
        }
        let names = PyTuple::new(py, spec.outputs.iter().map(|output| &*output.name))?;
        let named = py.import("collections")?.getattr("namedtuple")?;
        let options = PyDict::new(py);
        options.set_item("rename", true)?;
        let class = named.call(("Outputs", names), Some(&options))?;
        Ok(Self::Named(class.unbind()))
    }

    /// Converts the outputs of a response.
    pub(crate) fn outputs<'py>(
        &self,
        py: Python<'py>,
        spec: &ModelSpec,
        response: Response,
    ) -> PyResult<Bound<'py, PyAny>> {
        // An output that the function has omitted is `None`.
        let mut arrays = vec![None; spec.outputs.len()];
        for (index, tensor) in response.outputs {
            arrays[index] = Some(output(py, tensor.into_tensor())?);
        }
        match self {
            Self::One => PyTuple::new(py, arrays)?.get_item(0),
            Self::Named(class) => class
                .bind(py)
                .call_method1(intern!(py, "_make"), (PyTuple::new(py, arrays)?,)),
            Self::Dict => {
                let outputs = PyDict::new(py);
                for (output, array) in spec.outputs.iter().zip(arrays) {
                    outputs.set_item(&*output.name, array)?;
                }
                Ok(outputs.into_any())
            }
        }
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::One => Self::One,
            Self::Named(class) => Self::Named(class.clone_ref(py)),
            Self::Dict => Self::Dict,
        }
    }
}
