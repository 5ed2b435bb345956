use pytriton_core::model::VersionPolicy;
use pytriton_core::registry::Registration;
use pytriton_kserve::LoadParameters;

/// Applies the parameters of a load request to a model.
///
/// # Errors
///
/// Returns a message if the model cannot be changed this way.
pub(crate) fn changed(
    model: Registration,
    parameters: &LoadParameters,
    policy: Option<&VersionPolicy>,
) -> Result<Registration, String> {
    if let Some(file) = parameters.files.first() {
        return Err(format!(
            "'{file}' cannot be used, because the model is part of the binary"
        ));
    }
    match &parameters.config {
        None => Ok(model),
        Some(config) => super::config::overridden(model, config, policy),
    }
}
