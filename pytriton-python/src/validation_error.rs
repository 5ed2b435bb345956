use pyo3::exceptions::{PyImportError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use thiserror::Error;

/// An error in a call or module that is detected before a model is called.
#[derive(Debug, Error)]
pub(crate) enum ValidationError {
    /// The call has more positional arguments than the model has inputs.
    #[error("{model}() takes {most} inputs but {given} were given")]
    Inputs {
        model: String,
        most: usize,
        given: usize,
    },
    /// The array has an unsupported element type, such as complex numbers or dates.
    #[error("input '{input}': numpy's element type {dtype} is not supported")]
    Elements { input: String, dtype: String },
    /// The number does not fit the input's datatype.
    #[error("input '{input}': {value} is out of range for {datatype}")]
    Number {
        input: String,
        value: String,
        datatype: &'static str,
    },
    /// An element of a `BYTES` input is neither bytes nor str.
    #[error("input '{input}': element {index} is {found}, expected bytes or str")]
    Text {
        input: String,
        index: usize,
        found: String,
    },
    /// The parameter has an unsupported type.
    #[error("parameter '{parameter}' is {found}, expected bool, int, float or str")]
    Parameter { parameter: String, found: String },
    /// The parameter is an integer of more than 64 bits.
    #[error("parameter '{parameter}': {value} does not fit into 64 bits")]
    Integer { parameter: String, value: String },
    /// The generator is used or closed while another thread waits for its next response. The
    /// message is Python's.
    #[error("generator already executing")]
    Executing,
    /// Python modules support only the embedded engine.
    #[error("option engine: a module supports only the embedded engine")]
    Engine,
    /// The server ended during startup, because of a signal or a fatal model error.
    #[error("the server has stopped")]
    Ended,
    /// Two model names differ only in characters that are not valid in Python names.
    #[error("models '{one}' and '{other}' have the same Python name {name}: rename one")]
    Twice {
        one: String,
        other: String,
        name: String,
    },
    /// The model has the name of a predefined member of the module.
    #[error(
        "the Python name {name} of model '{model}' is a predefined member of the module: rename the model"
    )]
    Taken { model: String, name: String },
}

impl From<ValidationError> for PyErr {
    fn from(error: ValidationError) -> Self {
        let message = error.to_string();
        match error {
            ValidationError::Inputs { .. }
            | ValidationError::Elements { .. }
            | ValidationError::Text { .. }
            | ValidationError::Parameter { .. } => PyTypeError::new_err(message),
            ValidationError::Number { .. }
            | ValidationError::Integer { .. }
            | ValidationError::Executing
            | ValidationError::Engine => PyValueError::new_err(message),
            ValidationError::Ended => PyRuntimeError::new_err(message),
            ValidationError::Twice { .. } | ValidationError::Taken { .. } => {
                PyImportError::new_err(message)
            }
        }
    }
}
