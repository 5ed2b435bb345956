use pytriton_engine::logging::{settings, update};
use pytriton_kserve::{CodecError, proto};
use pytriton_protocol::proto::{LogSettingsRequest, LogSettingsResponse};

use crate::service::Error;

use super::GrpcError;

/// Changes the given log settings one after another, and returns all of them.
///
/// Source: `CommonHandler::RegisterLogging` in Triton 2.51.
pub(super) fn log_settings(request: &LogSettingsRequest) -> Result<LogSettingsResponse, GrpcError> {
    let changed = proto::change_log(request, update);
    changed.map_err(|error| Error::from(CodecError::from(error)))?;
    Ok(proto::log_settings(settings()))
}
