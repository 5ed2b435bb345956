use std::mem::replace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::repository;
use pytriton_runtime::service::Error;

use crate::engine::Engine;
use crate::error::raised;
use crate::form::Form;
use crate::validation_error::ValidationError;
use crate::wait::wait;

/// An iterator over the responses of a streaming model. Closing or dropping it cancels the rest.
#[pyclass(frozen, name = "Answers", module = "pytriton")]
pub(crate) struct ResponseIterator {
    /// Dropped before the engine, which waits for the end of the stream.
    state: Mutex<State>,
    engine: Arc<Engine>,
    spec: Arc<ModelSpec>,
    form: Form,
}

enum State {
    Waiting(repository::ModelResponses),
    /// A thread is waiting for the next response.
    Running,
    Over,
}

impl ResponseIterator {
    pub(crate) fn new(
        engine: Arc<Engine>,
        spec: &Arc<ModelSpec>,
        form: Form,
        responses: repository::ModelResponses,
    ) -> Self {
        Self {
            state: Mutex::new(State::Waiting(responses)),
            engine,
            spec: Arc::clone(spec),
            form,
        }
    }

    /// Held only briefly.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl ResponseIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let taken = replace(&mut *self.state(), State::Running);
        let mut responses = match taken {
            State::Waiting(responses) => responses,
            State::Running => return Err(ValidationError::Executing.into()),
            State::Over => {
                *self.state() = State::Over;
                return Ok(None);
            }
        };
        let next = wait(py, &self.engine.local, responses.next());
        let after = match next {
            Ok(Some(Ok(_))) => State::Waiting(responses),
            _ => State::Over,
        };
        *self.state() = after;
        match next? {
            None => Ok(None),
            Some(Ok(response)) => Ok(Some(self.form.outputs(py, &self.spec, response)?)),
            Some(Err(error)) => Err(raised(py, &Error::from(error))),
        }
    }

    /// Cancels the remaining responses.
    fn close(&self) -> PyResult<()> {
        let taken = replace(&mut *self.state(), State::Over);
        match taken {
            State::Running => {
                *self.state() = State::Running;
                Err(ValidationError::Executing.into())
            }
            State::Waiting(_) | State::Over => Ok(()),
        }
    }
}
