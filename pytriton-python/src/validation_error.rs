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
    #[error("input '{input}': no tensor has elements of numpy's type {dtype}")]
    Elements { input: String, dtype: String },
    /// The number does not fit the input's datatype.
    #[error("input '{input}': {value} is more than {datatype} holds")]
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
    #[error("parameter '{parameter}': {value} is more than 64 bits hold")]
    Integer { parameter: String, value: String },
    /// The generator is used or closed while another thread waits for its next response. The
    /// message is Python's.
    #[error("generator already executing")]
    Executing,
    /// Python modules support only the embedded engine.
    #[error("option engine: a module serves its models with the embedded engine")]
    Engine,
    /// The server ended during startup, because of a signal or a fatal model error.
    #[error("the server has ended")]
    Ended,
    /// Two model names differ only in characters that are not valid in Python names.
    #[error(
        "models '{one}' and '{other}' are both {name} in Python: give one of them another name"
    )]
    Twice {
        one: String,
        other: String,
        name: String,
    },
    /// The model has the name of a predefined member of the module.
    #[error(
        "model '{model}' is {name} in Python, which the module has of its own: give the model another name"
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
