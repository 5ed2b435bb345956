use std::pin::pin;
use std::time::Duration;

use pyo3::prelude::*;
use pytriton_runtime::server::Local;

/// The interval at which Python signals are checked.
pub(crate) const SIGNAL_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Waits without the GIL. A Python signal ends the wait with the exception of its handler.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    local: &Local,
    future: impl Future<Output = T> + Send,
) -> PyResult<T> {
    let mut future = pin!(future);
    loop {
        match py.detach(|| local.wait(SIGNAL_POLL_INTERVAL, future.as_mut())) {
            Some(done) => return Ok(done),
            None => py.check_signals()?,
        }
    }
}
