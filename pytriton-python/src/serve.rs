use std::thread;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
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
    // A signal may have arrived while the models were loaded.
    let ended = match py.check_signals() {
        Ok(()) if background => return Ok(Some(handle)),
        Ok(()) => until_ended(py, &handle),
        Err(raised) => Err(raised),
    };
    // The server must not outlive an error, because no caller could stop it.
    let stopping = handle.stopping();
    until(py, || stopping.is_finished())?;
    let stopped = stopping.join().unwrap_or(Ok(()));
    stopped.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    ended.map(|()| None)
}

/// Prints the addresses, and waits until the server ends or SIGTERM arrives.
fn until_ended(py: Python<'_>, handle: &Handle) -> PyResult<()> {
    let termination = Termination::install(py)?;
    let ended = print(py, handle.banner())
        .and_then(|()| until(py, || termination.received() || !handle.serves()));
    let forgotten = termination.forget(py);
    ended.and(forgotten)
}

/// Prints text. A closed standard output is no reason to stop serving: Python raises `OSError` if
/// its reader is gone, and `ValueError` if the program has closed it.
fn print(py: Python<'_>, text: String) -> PyResult<()> {
    // The reader may be another process on a pipe.
    let at_once = [("flush", true)].into_py_dict(py)?;
    let builtins = py.import("builtins")?;
    match builtins.call_method("print", (text,), Some(&at_once)) {
        Err(error)
            if !error.is_instance_of::<PyOSError>(py)
                && !error.is_instance_of::<PyValueError>(py) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
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
