use prost::Message;

use crate::configuration::{BACKEND, configuration};
use crate::kserve::proto::{metadata, statistics};
use crate::proto::repository_index_response::ModelIndex;
use crate::proto::{
    ModelConfig, ModelConfigRequest, ModelConfigResponse, ModelMetadataRequest,
    ModelMetadataResponse, ModelReadyRequest, ModelReadyResponse, ModelStatisticsRequest,
    ModelStatisticsResponse, RepositoryIndexRequest, RepositoryIndexResponse,
};
use crate::reception::Reception;
use crate::serving::Model;

use super::GrpcError;
use super::call::version;

/// Whether a model is there and ready.
pub(super) fn ready(
    reception: &Reception,
    request: &ModelReadyRequest,
) -> Result<ModelReadyResponse, GrpcError> {
    let ready = reception.model_ready(&request.name, version(&request.version))?;
    Ok(ModelReadyResponse { ready })
}

/// The inputs and outputs of a model.
pub(super) fn model_metadata(
    reception: &Reception,
    request: &ModelMetadataRequest,
) -> Result<ModelMetadataResponse, GrpcError> {
    let (model, versions) = reception.described(&request.name, version(&request.version))?;
    Ok(metadata(model.spec(), &versions))
}

/// The configuration of a model.
pub(super) fn model_config(
    reception: &Reception,
    request: &ModelConfigRequest,
) -> Result<ModelConfigResponse, GrpcError> {
    let model = reception.model(&request.name, version(&request.version))?;
    let versions = reception.models.versions(&request.name);
    let config = configuration(model.spec(), BACKEND, &versions).bytes();
    Ok(ModelConfigResponse {
        config: Some(ModelConfig::decode(&*config)?),
    })
}

/// What one model, one version of it, or all models have done.
pub(super) fn model_statistics(
    reception: &Reception,
    request: &ModelStatisticsRequest,
) -> Result<ModelStatisticsResponse, GrpcError> {
    let name = Some(request.name.as_str()).filter(|name| !name.is_empty());
    let models = reception.counted(name, version(&request.version))?;
    Ok(ModelStatisticsResponse {
        model_stats: models
            .iter()
            .map(|model| statistics(model.spec(), &model.statistics()))
            .collect(),
    })
}

/// The models that are there.
pub(super) fn index(
    reception: &Reception,
    request: &RepositoryIndexRequest,
) -> Result<RepositoryIndexResponse, GrpcError> {
    if !request.repository_name.is_empty() {
        return Err(GrpcError::RepositoryName);
    }
    let models = reception.index(request.ready);
    Ok(RepositoryIndexResponse {
        models: models
            .iter()
            .map(|(model, ready)| model_index(model, *ready))
            .collect(),
    })
}

fn model_index(model: &Model, ready: bool) -> ModelIndex {
    let (state, reason) = match ready {
        true => ("READY", ""),
        false => ("UNAVAILABLE", "no instance is left"),
    };
    ModelIndex {
        name: model.spec().name.to_string(),
        version: model.spec().version.to_string(),
        state: state.to_owned(),
        reason: reason.to_owned(),
    }
}
