use std::pin::pin;
use std::time::Duration;

use pyo3::prelude::*;
use pytriton_runtime::server::Local;
use tokio::time::timeout;

/// How often somebody looks whether Python has had a signal.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Waits without Python's lock; a signal such as that of Ctrl-C ends it with what its handler raises.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    local: &Local,
    future: impl Future<Output = T> + Send,
) -> PyResult<T> {
    let mut future = pin!(future);
    loop {
        let look = async { timeout(LOOK, future.as_mut()).await };
        match py.detach(|| local.wait(look)) {
            Ok(done) => return Ok(done),
            Err(_) => py.check_signals()?,
        }
    }
}
