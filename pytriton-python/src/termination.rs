use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

/// Handles SIGTERM, which would otherwise end the Python process immediately.
pub(crate) struct Termination {
    received: Arc<AtomicBool>,
    /// Whether the signal is handled here: no other handler is installed, and this is the main
    /// thread.
    installed: bool,
}

impl Termination {
    pub(crate) fn install(py: Python<'_>) -> PyResult<Self> {
        let signals = py.import(intern!(py, "signal"))?;
        let number = signals.getattr(intern!(py, "SIGTERM"))?;
        let handler = signals.call_method1(intern!(py, "getsignal"), (&number,))?;
        let mut termination = Self {
            installed: handler.eq(signals.getattr(intern!(py, "SIG_DFL"))?)?,
            received: Arc::default(),
        };
        if termination.installed {
            let flag = Arc::clone(&termination.received);
            let callback = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
                flag.store(true, Ordering::Relaxed);
            };
            let callback = PyCFunction::new_closure(py, None, None, callback)?;
            let set = signals.call_method1(intern!(py, "signal"), (number, callback));
            match set {
                Ok(_) => {}
                Err(error) if error.is_instance_of::<PyValueError>(py) => {
                    termination.installed = false;
                }
                Err(error) => {
                    // Another signal's handler may have raised it after the handler was set.
                    termination.forget(py)?;
                    return Err(error);
                }
            }
        }
        Ok(termination)
    }

    pub(crate) fn received(&self) -> bool {
        self.received.load(Ordering::Relaxed)
    }

    /// Restores Python's handler.
    pub(crate) fn forget(self, py: Python<'_>) -> PyResult<()> {
        if self.installed {
            let signals = py.import(intern!(py, "signal"))?;
            let number = signals.getattr(intern!(py, "SIGTERM"))?;
            let default = signals.getattr(intern!(py, "SIG_DFL"))?;
            signals.call_method1(intern!(py, "signal"), (number, default))?;
        }
        Ok(())
    }
}
