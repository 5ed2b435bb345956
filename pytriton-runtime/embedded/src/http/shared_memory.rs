use pytriton_core::shared_memory::Kind;
use pytriton_kserve::{CodecError, GpuHandle, Registration, region_json, regions_json};

use crate::service::routes::RegionAction;
use crate::service::{AppState, Error};

use super::HttpError;
use super::response::{Failure, HttpResponse, JSON, held};

/// Returns the status of shared memory, registers a region, or unregisters regions.
///
/// Source: `HTTPAPIServer::HandleSystemSharedMemory` and `HandleCudaSharedMemory` in Triton 2.51.
pub(super) fn shared_memory(
    app_state: &AppState,
    kind: Kind,
    region: Option<&str>,
    action: RegionAction,
    body: &[u8],
) -> Result<HttpResponse, Failure> {
    let result = match action {
        RegionAction::Status => status(app_state, kind, region),
        RegionAction::Register => register(app_state, kind, region, body),
        RegionAction::Unregister => {
            let regions = &app_state.regions;
            let unregistered = regions.unregister(kind, region);
            unregistered.map(|()| Vec::new()).map_err(refused)
        }
    };
    held(app_state, JSON, result.map_err(Failure::json)?)
}

fn status(app_state: &AppState, kind: Kind, region: Option<&str>) -> Result<Vec<u8>, HttpError> {
    let status = app_state.regions.status(kind, region, region_json);
    Ok(regions_json(&status.map_err(refused)?))
}

fn register(
    app_state: &AppState,
    kind: Kind,
    region: Option<&str>,
    body: &[u8],
) -> Result<Vec<u8>, HttpError> {
    let region = region.ok_or(HttpError::NoRegion { kind })?;
    let regions = &app_state.regions;
    let registered = match kind {
        Kind::System => {
            let Registration {
                key,
                offset,
                byte_size,
            } = Registration::decode(body).map_err(Error::from)?;
            regions.register(region, &key, offset, byte_size)
        }
        Kind::Cuda => {
            GpuHandle::decode(body).map_err(Error::from)?;
            regions.register_cuda(region)
        }
    };
    registered.map(|()| Vec::new()).map_err(refused)
}

fn refused(error: impl Into<CodecError>) -> HttpError {
    Error::from(error.into()).into()
}
