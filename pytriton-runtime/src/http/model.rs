use crate::configuration::{BACKEND, configuration};
use crate::kserve::{metadata_json, ready_json, statistics_json};
use crate::reception::Reception;

use super::HttpError;
use super::answer::{Answer, Failure, JSON, held, server_json};

pub(super) fn metadata(
    reception: &Reception,
    name: &str,
    version: Option<&str>,
) -> Result<Answer, Failure> {
    let (model, versions) = reception.described(name, version).map_err(Failure::json)?;
    Ok(server_json(metadata_json(model.spec(), &versions)))
}

pub(super) fn config(
    reception: &Reception,
    name: &str,
    version: Option<&str>,
) -> Result<Answer, Failure> {
    let model = reception.model(name, version).map_err(Failure::json)?;
    let policy = reception.models.version_policy(model.spec());
    let config = configuration(model.spec(), BACKEND, policy.as_ref());
    Ok(server_json(config.json()))
}

pub(super) fn ready(
    reception: &Reception,
    name: &str,
    version: Option<&str>,
) -> Result<Answer, Failure> {
    match reception.model_ready(name, version) {
        Ok(true) => Ok(server_json(ready_json(name))),
        Ok(false) => Err(Failure::plain(HttpError::NotReady)),
        Err(error) => Err(Failure::plain(error)),
    }
}

pub(super) fn statistics(
    reception: &Reception,
    name: Option<&str>,
    version: Option<&str>,
) -> Result<Answer, Failure> {
    let models = reception.counted(name, version).map_err(Failure::json)?;
    let entries = models
        .iter()
        .map(|model| (model.spec().as_ref(), model.statistics()));
    held(reception, JSON, statistics_json(entries))
}
