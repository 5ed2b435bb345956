use std::fmt;

use prost::Message;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::excerpt;
use pytriton_kserve::LoadParameters;
use pytriton_kserve::configuration::{BACKEND, configuration};
use pytriton_kserve::proto::{BoundedError, metadata, statistics};
use pytriton_protocol::proto::model_repository_parameter::ParameterChoice;
use pytriton_protocol::proto::repository_index_response::ModelIndex;
use pytriton_protocol::proto::{
    ModelConfig, ModelConfigRequest, ModelConfigResponse, ModelMetadataRequest,
    ModelMetadataResponse, ModelReadyRequest, ModelReadyResponse, ModelStatisticsRequest,
    ModelStatisticsResponse, RepositoryIndexRequest, RepositoryIndexResponse,
    RepositoryModelLoadRequest, RepositoryModelLoadResponse, RepositoryModelUnloadRequest,
    RepositoryModelUnloadResponse,
};

use crate::repository::{ControlError, IndexEntry};
use crate::service::{AppState, Error};

use super::GrpcError;
use super::call::version;

/// Returns whether a model is loaded and ready.
pub(super) fn ready(
    app_state: &AppState,
    request: &ModelReadyRequest,
) -> Result<ModelReadyResponse, GrpcError> {
    let ready = app_state.model_ready(&request.name, version(&request.version))?;
    Ok(ModelReadyResponse { ready })
}

/// Returns the inputs and outputs of a model.
pub(super) fn model_metadata(
    app_state: &AppState,
    request: &ModelMetadataRequest,
) -> Result<ModelMetadataResponse, GrpcError> {
    let (model, versions) = app_state.described(&request.name, version(&request.version))?;
    Ok(metadata(model.spec(), &versions))
}

/// Returns the configuration of a model.
pub(super) fn model_config(
    app_state: &AppState,
    request: &ModelConfigRequest,
) -> Result<ModelConfigResponse, GrpcError> {
    let model = app_state.model(&request.name, version(&request.version))?;
    let policy = app_state.models.version_policy(model.spec());
    let config = configuration(model.spec(), BACKEND, policy.as_ref()).bytes();
    Ok(ModelConfigResponse {
        config: Some(ModelConfig::decode(&*config).map_err(BoundedError::from)?),
    })
}

/// Returns the statistics of one model, one version, or all models.
pub(super) fn model_statistics(
    app_state: &AppState,
    request: &ModelStatisticsRequest,
) -> Result<ModelStatisticsResponse, GrpcError> {
    let name = Some(request.name.as_str()).filter(|name| !name.is_empty());
    let models = app_state.counted(name, version(&request.version))?;
    Ok(ModelStatisticsResponse {
        model_stats: models
            .iter()
            .map(|model| statistics(model.spec(), &model.statistics()))
            .collect(),
    })
}

/// Returns the repository index.
pub(super) fn index(
    app_state: &AppState,
    request: &RepositoryIndexRequest,
) -> Result<RepositoryIndexResponse, GrpcError> {
    check_repository(&request.repository_name)?;
    let index = app_state.models.index(request.ready);
    Ok(RepositoryIndexResponse {
        models: index.into_iter().map(model_index).collect(),
    })
}

fn model_index(entry: IndexEntry) -> ModelIndex {
    let name = entry.name.to_string();
    match entry.version {
        None => ModelIndex {
            name,
            ..ModelIndex::default()
        },
        Some(version) => ModelIndex {
            name,
            version: version.number.to_string(),
            state: version.state.to_owned(),
            reason: version.reason.to_string(),
        },
    }
}

/// Loads a model. `permit` covers the request.
pub(super) async fn load(
    app_state: &AppState,
    request: RepositoryModelLoadRequest,
    permit: MemoryPermit,
) -> Result<RepositoryModelLoadResponse, GrpcError> {
    check_repository(&request.repository_name)?;
    let mut parameters = LoadParameters::default();
    for (name, value) in request.parameters {
        let unknown = |_| ControlError::Parameter {
            name: excerpt(&name),
        };
        let is_config = LoadParameters::is_config(&name)
            .map_err(unknown)
            .map_err(Error::from)?;
        let expected = match (is_config, value.parameter_choice) {
            (true, Some(ParameterChoice::StringParam(config))) => {
                parameters.config = Some(config);
                continue;
            }
            (false, Some(ParameterChoice::BytesParam(_))) => {
                parameters.files.push(name);
                continue;
            }
            (true, _) => "string_param",
            (false, _) => "bytes_param",
        };
        return Err(kind(
            format_args!("load parameter '{}'", excerpt(&name)),
            expected,
        ));
    }
    app_state
        .load(&request.model_name, parameters, permit)
        .await?;
    Ok(RepositoryModelLoadResponse {})
}

/// Unloads a model. No model depends on others.
pub(super) fn unload(
    app_state: &AppState,
    request: &RepositoryModelUnloadRequest,
) -> Result<RepositoryModelUnloadResponse, GrpcError> {
    check_repository(&request.repository_name)?;
    let dependents = request.parameters.get("unload_dependents");
    if let Some(value) = dependents
        && !matches!(value.parameter_choice, Some(ParameterChoice::BoolParam(_)))
    {
        return Err(kind(
            format_args!("'unload_dependents' parameter"),
            "bool_param",
        ));
    }
    let unloaded = app_state.models.unload_named(&request.model_name);
    unloaded.map_err(Error::from)?;
    Ok(RepositoryModelUnloadResponse {})
}

fn check_repository(name: &str) -> Result<(), GrpcError> {
    match name.is_empty() {
        true => Ok(()),
        false => Err(Error::from(ControlError::RepositoryName).into()),
    }
}

fn kind(what: fmt::Arguments<'_>, expected: &str) -> GrpcError {
    let message = format!("invalid value type for {what}, expected {expected}.");
    Error::from(ControlError::ParameterKind { message }).into()
}
