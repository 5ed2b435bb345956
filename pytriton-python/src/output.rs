use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use pytriton_runtime::half::bf16;
use pytriton_runtime::tensor::{BytesElements, DataType, Tensor};

use crate::datatype::typestr;

/// The elements of a tensor, from which numpy creates a read-only array without a copy.
#[pyclass(frozen, module = "pytriton")]
struct Elements {
    tensor: Tensor,
}

#[pymethods]
impl Elements {
    /// Returns the address of the elements, for numpy; the array keeps this object alive.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", typestr(self.tensor.datatype()))?;
        interface.set_item("shape", PyTuple::new(py, self.tensor.shape())?)?;
        interface.set_item("data", (self.tensor.data().as_ptr().addr(), true))?;
        Ok(interface)
    }
}

/// Converts a tensor to a numpy array.
///
/// # Errors
///
/// Returns numpy's error.
pub(crate) fn output<'py>(py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    match tensor.datatype() {
        DataType::Bytes => objects(&numpy, &tensor),
        DataType::Bf16 => asarray(&numpy, widened(&tensor)?),
        _ => asarray(&numpy, tensor),
    }
}

fn asarray<'py>(numpy: &Bound<'py, PyModule>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
    let py = numpy.py();
    numpy.call_method1(intern!(py, "asarray"), (Elements { tensor },))
}

/// Converts `BF16` to 32 bits, as NVIDIA's client does: numpy has no `BF16` type.
fn widened(tensor: &Tensor) -> PyResult<Tensor> {
    let widened = tensor.elements::<bf16>().and_then(|elements| {
        let singles: Vec<f32> = elements.iter().map(|element| element.to_f32()).collect();
        Tensor::from_elements(tensor.shape(), singles)
    });
    widened.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

fn objects<'py>(numpy: &Bound<'py, PyModule>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let py = numpy.py();
    let elements = BytesElements::new(tensor.data()).flatten();
    let elements = PyList::new(
        py,
        elements
            .map(|element| PyBytes::new(py, element))
            .collect::<Vec<_>>(),
    )?;
    let array = numpy.call_method1("empty", (elements.len(), "O"))?;
    array.set_item(pyo3::types::PySlice::full(py), elements)?;
    array.call_method1("reshape", (PyTuple::new(py, tensor.shape())?,))
}
