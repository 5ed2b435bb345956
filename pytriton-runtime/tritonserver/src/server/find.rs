use crate::triton::{Located, Probe, SearchPaths};
use crate::worker::BACKEND_LIBRARY;

use super::FindError;

/// Finds a tritonserver that runs on this system.
///
/// # Errors
///
/// Returns a [`FindError`] if none is found, or if the binary does not contain the backend.
pub fn find(paths: &SearchPaths) -> Result<(Located, Probe), FindError> {
    BACKEND_LIBRARY?;
    let located = paths.locate()?;
    let probe = Probe::new(&located.binary)?;
    Ok((located, probe))
}
