use crate::kserve::LoadParameters;
use crate::model::VersionPolicy;
use crate::registry::Registration;

/// A model as the request to load it wants it.
///
/// # Errors
///
/// What of it cannot be so.
pub(crate) fn changed(
    model: Registration,
    parameters: &LoadParameters,
    policy: Option<&VersionPolicy>,
) -> Result<Registration, String> {
    if let Some(file) = parameters.files.first() {
        return Err(format!(
            "'{file}' cannot be given to a model that is part of the binary"
        ));
    }
    match &parameters.config {
        None => Ok(model),
        Some(config) => super::config::overridden(model, config, policy),
    }
}
