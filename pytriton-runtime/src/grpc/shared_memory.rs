use crate::kserve::CodecError;
use crate::proto::system_shared_memory_status_response::RegionStatus;
use crate::proto::{
    CudaSharedMemoryRegisterRequest, CudaSharedMemoryRegisterResponse,
    CudaSharedMemoryStatusResponse, SystemSharedMemoryRegisterRequest,
    SystemSharedMemoryRegisterResponse, SystemSharedMemoryStatusResponse,
};
use crate::reception::{Error, Reception};
use crate::shared_memory::{Kind, Region, SharedMemoryError};

use super::GrpcError;

/// The regions of system memory, or the one of that name.
pub(super) fn status(
    reception: &Reception,
    name: &str,
) -> Result<SystemSharedMemoryStatusResponse, GrpcError> {
    let told = reception
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
        regions: told.map_err(refused)?.into_iter().collect(),
    })
}

/// The regions of GPUs, of which there is none.
pub(super) fn cuda_status(
    reception: &Reception,
    name: &str,
) -> Result<CudaSharedMemoryStatusResponse, GrpcError> {
    let told = reception.regions.status(Kind::Cuda, named(name), |_| ());
    told.map_err(refused)?;
    Ok(CudaSharedMemoryStatusResponse::default())
}

/// Registers a region of system memory.
pub(super) fn register(
    reception: &Reception,
    request: &SystemSharedMemoryRegisterRequest,
) -> Result<SystemSharedMemoryRegisterResponse, GrpcError> {
    let SystemSharedMemoryRegisterRequest {
        name,
        key,
        offset,
        byte_size,
    } = request;
    let registered = reception.regions.register(name, key, *offset, *byte_size);
    registered.map_err(refused)?;
    Ok(SystemSharedMemoryRegisterResponse {})
}

/// Refuses to register a region of a GPU.
pub(super) fn register_cuda(
    reception: &Reception,
    request: &CudaSharedMemoryRegisterRequest,
) -> Result<CudaSharedMemoryRegisterResponse, GrpcError> {
    let registered = reception.regions.register_cuda(&request.name);
    registered.map_err(refused)?;
    Ok(CudaSharedMemoryRegisterResponse {})
}

/// Forgets the regions of a kind, or the one of that name.
pub(super) fn unregister(reception: &Reception, kind: Kind, name: &str) -> Result<(), GrpcError> {
    let unregistered = reception.regions.unregister(kind, named(name));
    unregistered.map_err(refused)
}

/// No name stands for all.
fn named(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn refused(error: SharedMemoryError) -> GrpcError {
    Error::from(CodecError::from(error)).into()
}
