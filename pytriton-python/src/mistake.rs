use pyo3::exceptions::{PyImportError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use thiserror::Error;

/// What is wrong with a call, or with a module, before a model is asked.
#[derive(Debug, Error)]
pub(crate) enum Mistake {
    /// More inputs are given, in their order, than the model has.
    #[error("{model}() takes {most} inputs but {given} were given")]
    Inputs {
        model: String,
        most: usize,
        given: usize,
    },
    /// An array of elements that no tensor has, such as complex numbers or dates.
    #[error("input '{input}': no tensor has elements of numpy's type {dtype}")]
    Elements { input: String, dtype: String },
    /// A number that is none of the input's element type.
    #[error("input '{input}': {value} is more than {datatype} holds")]
    Number {
        input: String,
        value: String,
        datatype: &'static str,
    },
    /// An element of an input of texts that is none.
    #[error("input '{input}': element {index} is {found}, expected bytes or str")]
    Text {
        input: String,
        index: usize,
        found: String,
    },
    /// A parameter of a type that no request has.
    #[error("parameter '{parameter}' is {found}, expected bool, int, float or str")]
    Parameter { parameter: String, found: String },
    /// A parameter that is an integer of more than 64 bits.
    #[error("parameter '{parameter}': {value} is more than 64 bits hold")]
    Integer { parameter: String, value: String },
    /// A generator is asked, or closed, while another thread waits for its next answer. The text is Python's.
    #[error("generator already executing")]
    Executing,
    /// A module has no other engine.
    #[error("option engine: a module serves its models with the embedded engine")]
    Engine,
    /// The server ended while it was started, by a signal or because a model is beyond repair.
    #[error("the server has ended")]
    Ended,
    /// Two models whose names differ in characters alone that Python does not write in a name.
    #[error(
        "models '{one}' and '{other}' are both {name} in Python: give one of them another name"
    )]
    Twice {
        one: String,
        other: String,
        name: String,
    },
    /// A model that has the name of something that every module has.
    #[error(
        "model '{model}' is {name} in Python, which the module has of its own: give the model another name"
    )]
    Taken { model: String, name: String },
}

impl From<Mistake> for PyErr {
    fn from(mistake: Mistake) -> Self {
        let message = mistake.to_string();
        match mistake {
            Mistake::Inputs { .. }
            | Mistake::Elements { .. }
            | Mistake::Text { .. }
            | Mistake::Parameter { .. } => PyTypeError::new_err(message),
            Mistake::Number { .. }
            | Mistake::Integer { .. }
            | Mistake::Executing
            | Mistake::Engine => PyValueError::new_err(message),
            Mistake::Ended => PyRuntimeError::new_err(message),
            Mistake::Twice { .. } | Mistake::Taken { .. } => PyImportError::new_err(message),
        }
    }
}
