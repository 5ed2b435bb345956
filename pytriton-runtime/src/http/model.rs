use std::sync::Arc;

use axum::response::Response;

use crate::Error;
use crate::kserve::{config_json, metadata_json, statistics_json};
use crate::repository::{Model, Repository};
use crate::request::RequestError;

use super::HttpError;
use super::answer::{Failure, fine, json};

/// The model that a path names, with its version as it stands there.
pub(super) fn find<'a>(
    repository: &'a Repository,
    name: &str,
    version: Option<&str>,
) -> Result<&'a Arc<Model>, HttpError> {
    let number = version.map(number).transpose()?;
    let found = match number.map(u32::try_from) {
        None => repository.model(name, None),
        Some(Ok(version)) => repository.model(name, Some(version)),
        Some(Err(_)) => repository.model(name, None).and_then(|_| {
            Err(RequestError::UnknownModel {
                name: name.to_owned(),
                version: number.map(|number| number.to_string()),
            })
        }),
    };
    found.map_err(|error| Error::from(error).into())
}

/// Triton's versions are 64-bit integers, of which a path can name one that is none.
fn number(version: &str) -> Result<i64, HttpError> {
    version.parse().map_err(|_| HttpError::Version {
        version: version.to_owned(),
    })
}

pub(super) fn metadata(
    repository: &Repository,
    name: &str,
    version: Option<&str>,
) -> Result<Response, Failure> {
    let model = find(repository, name, version).map_err(Failure::json)?;
    let versions = match version {
        Some(_) => vec![model.spec().version],
        None => repository.versions(name),
    };
    Ok(json(metadata_json(model.spec(), &versions)))
}

pub(super) fn config(
    repository: &Repository,
    name: &str,
    version: Option<&str>,
) -> Result<Response, Failure> {
    let model = find(repository, name, version).map_err(Failure::json)?;
    let versions = repository.versions(name);
    Ok(json(config_json(model.spec(), &versions)))
}

pub(super) fn ready(
    repository: &Repository,
    name: &str,
    version: Option<&str>,
) -> Result<Response, Failure> {
    let ready = match find(repository, name, version) {
        Ok(model) => model.ready(),
        Err(error @ HttpError::Version { .. }) => return Err(Failure::plain(error)),
        Err(_) => false,
    };
    if !ready {
        return Err(Failure::plain(HttpError::NotReady));
    }
    Ok(fine())
}

pub(super) fn all_statistics(repository: &Repository) -> Result<Response, Failure> {
    Ok(json(entries(repository.models())))
}

pub(super) fn statistics(
    repository: &Repository,
    name: &str,
    version: Option<&str>,
) -> Result<Response, Failure> {
    let version = version.map(number).transpose().map_err(Failure::json)?;
    let is_wanted = |model: &&Arc<Model>| {
        let spec = model.spec();
        *spec.name == *name && version.is_none_or(|version| version == i64::from(spec.version))
    };
    let mut models = repository.models().filter(is_wanted).peekable();
    if models.peek().is_some() {
        return Ok(json(entries(models)));
    }
    let model = name.to_owned();
    Err(Failure::json(match repository.versions(name).is_empty() {
        true => HttpError::NoStatistics { model },
        false => HttpError::NoStatisticsOfVersion { model },
    }))
}

fn entries<'a>(models: impl Iterator<Item = &'a Arc<Model>>) -> Vec<u8> {
    statistics_json(models.map(|model| (model.spec().as_ref(), model.statistics())))
}
