use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};

/// Handles SIGTERM, which would otherwise end the Python process immediately.
pub(crate) struct Termination {
    came: Arc<AtomicBool>,
    /// Whether the signal is handled here: no other handler is installed, and this is the main
    /// thread.
    heard: bool,
}

impl Termination {
    pub(crate) fn hear(py: Python<'_>) -> PyResult<Self> {
        let came = Arc::new(AtomicBool::new(false));
        let signals = py.import(intern!(py, "signal"))?;
        let number = signals.getattr(intern!(py, "SIGTERM"))?;
        let handler = signals.call_method1(intern!(py, "getsignal"), (&number,))?;
        let mut heard = handler.eq(signals.getattr(intern!(py, "SIG_DFL"))?)?;
        if heard {
            let coming = Arc::clone(&came);
            let hear = move |_: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
                coming.store(true, Ordering::Relaxed);
            };
            let hear = PyCFunction::new_closure(py, None, None, hear)?;
            let set = signals.call_method1(intern!(py, "signal"), (number, hear));
            heard = match set {
                Err(error) if error.is_instance_of::<PyValueError>(py) => false,
                set => set.map(|_| true)?,
            };
        }
        Ok(Self { came, heard })
    }

    pub(crate) fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }

    /// Restores Python's handler.
    pub(crate) fn forget(self, py: Python<'_>) -> PyResult<()> {
        if self.heard {
            let signals = py.import(intern!(py, "signal"))?;
            let number = signals.getattr(intern!(py, "SIGTERM"))?;
            let default = signals.getattr(intern!(py, "SIG_DFL"))?;
            signals.call_method1(intern!(py, "signal"), (number, default))?;
        }
        Ok(())
    }
}
