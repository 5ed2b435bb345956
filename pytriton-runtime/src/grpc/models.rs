use std::sync::Arc;

use crate::kserve::proto::{config, metadata, statistics, version};
use crate::proto::repository_index_response::ModelIndex;
use crate::proto::{
    ModelConfigRequest, ModelConfigResponse, ModelMetadataRequest, ModelMetadataResponse,
    ModelReadyRequest, ModelReadyResponse, ModelStatisticsRequest, ModelStatisticsResponse,
    RepositoryIndexRequest, RepositoryIndexResponse,
};
use crate::repository::{Model, Repository};
use crate::request::RequestError;
use crate::text::excerpt;
use crate::{Error, Status};

use super::GrpcError;

/// Whether a model is there and ready.
pub(super) fn ready(
    repository: &Repository,
    request: &ModelReadyRequest,
) -> Result<ModelReadyResponse, GrpcError> {
    let ready = match model(repository, &request.name, &request.version) {
        Ok(model) => model.ready(),
        Err(error) if error.status() == Status::NotFound => false,
        Err(error) => return Err(error.into()),
    };
    Ok(ModelReadyResponse { ready })
}

/// The inputs and outputs of a model.
pub(super) fn model_metadata(
    repository: &Repository,
    request: &ModelMetadataRequest,
) -> Result<ModelMetadataResponse, GrpcError> {
    let model = model(repository, &request.name, &request.version)?;
    let versions = match request.version.as_str() {
        "" => repository.versions(&request.name),
        _ => vec![model.spec().version],
    };
    Ok(metadata(model.spec(), &versions))
}

/// The configuration of a model.
pub(super) fn model_config(
    repository: &Repository,
    request: &ModelConfigRequest,
) -> Result<ModelConfigResponse, GrpcError> {
    let model = model(repository, &request.name, &request.version)?;
    let versions = repository.versions(&request.name);
    Ok(ModelConfigResponse {
        config: Some(config(model.spec(), &versions)),
    })
}

/// What one model, one version of it, or all models have done.
pub(super) fn model_statistics(
    repository: &Repository,
    request: &ModelStatisticsRequest,
) -> Result<ModelStatisticsResponse, GrpcError> {
    let name = request.name.as_str();
    let version = match version(name, &request.version) {
        // A number that is too large for a version is the number of none.
        Err(Error::Request(RequestError::UnknownModel { .. })) => Some(0),
        version => version?,
    };
    let wanted = |model: &&Arc<Model>| {
        let spec = model.spec();
        name.is_empty()
            || *spec.name == *name && version.is_none_or(|version| version == spec.version)
    };
    let models = repository.models().filter(wanted);
    let model_stats: Vec<_> = models
        .map(|model| statistics(model.spec(), &model.statistics()))
        .collect();
    if model_stats.is_empty() && !name.is_empty() {
        let model = excerpt(name);
        return Err(match repository.versions(name).is_empty() {
            true => GrpcError::NoStatistics { model },
            false => GrpcError::NoStatisticsOfVersion { model },
        });
    }
    Ok(ModelStatisticsResponse { model_stats })
}

/// The models that are there.
pub(super) fn index(
    repository: &Repository,
    request: &RepositoryIndexRequest,
) -> Result<RepositoryIndexResponse, GrpcError> {
    if !request.repository_name.is_empty() {
        return Err(GrpcError::RepositoryName);
    }
    let models = repository.models();
    let models = models.filter(|model| model.ready() || !request.ready);
    Ok(RepositoryIndexResponse {
        models: models.map(|model| model_index(model)).collect(),
    })
}

fn model_index(model: &Model) -> ModelIndex {
    let (state, reason) = match model.ready() {
        true => ("READY", ""),
        false => ("UNAVAILABLE", "no instance is left"),
    };
    ModelIndex {
        name: model.spec().name.to_owned().to_string(),
        version: model.spec().version.to_string(),
        state: state.to_owned(),
        reason: reason.to_owned(),
    }
}

fn model<'a>(
    repository: &'a Repository,
    name: &str,
    version_text: &str,
) -> Result<&'a Arc<Model>, Error> {
    let version = version(name, version_text)?;
    Ok(repository.model(name, version)?)
}
