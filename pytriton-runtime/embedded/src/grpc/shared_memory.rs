use pytriton_core::shared_memory::{Kind, Region, SharedMemoryError};
use pytriton_kserve::CodecError;
use pytriton_protocol::proto::system_shared_memory_status_response::RegionStatus;
use pytriton_protocol::proto::{
    CudaSharedMemoryRegisterRequest, CudaSharedMemoryRegisterResponse,
    CudaSharedMemoryStatusResponse, SystemSharedMemoryRegisterRequest,
    SystemSharedMemoryRegisterResponse, SystemSharedMemoryStatusResponse,
};

use crate::service::{AppState, Error};

use super::GrpcError;

/// Returns the status of one or all regions of system memory.
pub(super) fn status(
    app_state: &AppState,
    name: &str,
) -> Result<SystemSharedMemoryStatusResponse, GrpcError> {
    let region = app_state
        .regions
        .status(Kind::System, named(name), |region: &Region| {
            let status = RegionStatus {
                name: region.name().to_owned(),
                key: region.key().to_owned(),
                offset: region.offset(),
                byte_size: region.byte_size(),
            };
            (region.name().to_owned(), status)
        });
    Ok(SystemSharedMemoryStatusResponse {
        regions: region.map_err(refused)?.into_iter().collect(),
    })
}

/// Returns an empty status, because GPU regions are not supported.
pub(super) fn cuda_status(
    app_state: &AppState,
    name: &str,
) -> Result<CudaSharedMemoryStatusResponse, GrpcError> {
    let region = app_state.regions.status(Kind::Cuda, named(name), |_| ());
    region.map_err(refused)?;
    Ok(CudaSharedMemoryStatusResponse::default())
}

/// Registers a region of system memory.
pub(super) fn register(
    app_state: &AppState,
    request: &SystemSharedMemoryRegisterRequest,
) -> Result<SystemSharedMemoryRegisterResponse, GrpcError> {
    let SystemSharedMemoryRegisterRequest {
        name,
        key,
        offset,
        byte_size,
    } = request;
    let registered = app_state.regions.register(name, key, *offset, *byte_size);
    registered.map_err(refused)?;
    Ok(SystemSharedMemoryRegisterResponse {})
}

/// Refuses to register GPU memory.
pub(super) fn register_cuda(
    app_state: &AppState,
    request: &CudaSharedMemoryRegisterRequest,
) -> Result<CudaSharedMemoryRegisterResponse, GrpcError> {
    let registered = app_state.regions.register_cuda(&request.name);
    registered.map_err(refused)?;
    Ok(CudaSharedMemoryRegisterResponse {})
}

/// Unregisters one region, or all regions of a kind.
pub(super) fn unregister(app_state: &AppState, kind: Kind, name: &str) -> Result<(), GrpcError> {
    let unregistered = app_state.regions.unregister(kind, named(name));
    unregistered.map_err(refused)
}

/// An empty name selects all regions.
fn named(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn refused(error: SharedMemoryError) -> GrpcError {
    Error::from(CodecError::from(error)).into()
}
