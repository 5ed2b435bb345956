use pyo3::exceptions::{PyLookupError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use pytriton_runtime::Status;
use pytriton_runtime::request::RequestError;
use pytriton_runtime::service::Error;

use crate::import_name::import_name;
use crate::signature::forever;

/// The exception type for a failed function, or for a request that was refused.
static INFERENCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

const DOCUMENT: &str = "The error of a model's function, or the reason why it was not called.\n\nA client over HTTP receives the same message, with the status code `status`.";

/// Adds `InferenceError` to the module.
pub(crate) fn define(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = INFERENCE.get_or_try_init(py, || {
        let name = forever(&format!("{}.InferenceError", import_name(module)?));
        let base = py.get_type::<PyRuntimeError>();
        PyErr::new_type(py, name, Some(forever(DOCUMENT)), Some(&base), None)
    })?;
    module.add("InferenceError", class)
}

/// Converts an error to a Python exception.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.to_string();
    match (error, error.status()) {
        // The exception of a function that is called with wrong arguments.
        (
            Error::Request(
                RequestError::InputCount { .. }
                | RequestError::UnknownInput { .. }
                | RequestError::DuplicateInput { .. }
                | RequestError::DataType { .. },
            ),
            _,
        ) => PyTypeError::new_err(message),
        (_, Status::InvalidArgument) => PyValueError::new_err(message),
        (_, Status::NotFound) => PyLookupError::new_err(message),
        (_, status) => failed(py, message, status).unwrap_or_else(|error| error),
    }
}

fn failed(py: Python<'_>, message: String, status: Status) -> PyResult<PyErr> {
    let Some(class) = INFERENCE.get(py) else {
        return Ok(PyRuntimeError::new_err(message));
    };
    let error = class.bind(py).call1((message,))?;
    error.setattr("status", status.http())?;
    Ok(PyErr::from_value(error))
}
