use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyList};

use crate::engine;
use crate::handle::Handle;
use crate::termination::Termination;
use crate::validation_error::ValidationError;
use crate::wait::SIGNAL_POLL_INTERVAL;

/// Serves all models over HTTP and gRPC, with the options of the binary: `http_port=0` is
/// `--http-port=0`, and a list sets a repeatable option.
///
/// With `background=True`, returns at once with the addresses. Otherwise serves until Ctrl-C
/// (raises `KeyboardInterrupt`) or SIGTERM (returns); in both cases it first completes all accepted
/// requests. A second signal stops it immediately. Direct calls of the models keep working and are
/// batched with the requests.
#[pyfunction]
#[pyo3(signature = (*, background=false, **options))]
pub(crate) fn serve(
    py: Python<'_>,
    background: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Handle>> {
    let arguments = options.map_or_else(|| Ok(Vec::new()), arguments)?;
    let served = py.detach(|| engine::serve(arguments));
    let served = served.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let handle = Handle::new(served)?;
    if background {
        return Ok(Some(handle));
    }
    let termination = Termination::install(py)?;
    // The reader may be another process on a pipe.
    let at_once = [("flush", true)].into_py_dict(py)?;
    let builtins = py.import("builtins")?;
    builtins.call_method("print", (handle.banner(),), Some(&at_once))?;
    let ended = until(py, || termination.received() || !handle.serves());
    termination.forget(py)?;
    let stopping = handle.stopping();
    until(py, || stopping.is_finished())?;
    let stopped = stopping.join().unwrap_or(Ok(()));
    stopped.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    ended.map(|()| None)
}

/// Waits without the GIL. A Python signal ends the wait with the exception of its handler.
fn until(py: Python<'_>, reached: impl Fn() -> bool) -> PyResult<()> {
    while !reached() {
        py.detach(|| thread::sleep(SIGNAL_POLL_INTERVAL));
        py.check_signals()?;
    }
    Ok(())
}

/// Converts keyword arguments to command-line arguments.
fn arguments(options: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let mut arguments = Vec::new();
    for (name, value) in options {
        let name = name.extract::<String>()?.replace('_', "-");
        if name == "engine" {
            return Err(ValidationError::Engine.into());
        }
        match value.cast::<PyList>() {
            Ok(values) => {
                for value in values {
                    arguments.push(format!("--{name}={}", text(&value)?));
                }
            }
            Err(_) if value.is_none() => (),
            Err(_) => arguments.push(format!("--{name}={}", text(&value)?)),
        }
    }
    Ok(arguments)
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyBool>() {
        Ok(truth) => Ok(truth.is_true().to_string()),
        Err(_) => Ok(value.str()?.to_string()),
    }
}
