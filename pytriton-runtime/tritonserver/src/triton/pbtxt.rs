use std::sync::Arc;

use pytriton_core::model::{Location, ModelSpec, VersionPolicy};
use pytriton_kserve::configuration::{Message, configuration};
use thiserror::Error;

/// The versions of a model cannot share one `config.pbtxt`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The versions differ, but Triton has one configuration for all versions of a model.
    #[error(
        "model `{model}`: tritonserver has one configuration for all versions of a model, but version {version} (declared at {location}) has `{line}`, and version {other_version} (declared at {other_location}) has `{other_line}`"
    )]
    VersionsDiffer {
        /// The model.
        model: Arc<str>,
        /// A version.
        version: u32,
        /// Its declaration.
        location: Location,
        /// The first line of its configuration that differs.
        line: String,
        /// Another version.
        other_version: u32,
        /// Its declaration.
        other_location: Location,
        /// The corresponding line.
        other_line: String,
    },
}

/// Returns the `config.pbtxt` of a model for all its versions.
///
/// `backend` is the name of the backend that runs it.
///
/// # Errors
///
/// Returns [`ConfigError::VersionsDiffer`] if the versions differ in more than their number.
pub fn config_text(
    backend: &str,
    spec: &ModelSpec,
    other_versions: &[&ModelSpec],
) -> Result<String, ConfigError> {
    let versions = [spec].into_iter().chain(other_versions.iter().copied());
    let policy = VersionPolicy::among(versions);
    let config = configuration(spec, backend, policy.as_ref());
    for other in other_versions {
        let other_config = configuration(other, backend, policy.as_ref());
        let labels = |spec: &ModelSpec| format!("labels: {:?}", spec.labels);
        let labelled = (spec.labels != other.labels).then(|| (labels(spec), labels(other)));
        if let Some((line, other_line)) = difference(&config, &other_config).or(labelled) {
            return Err(ConfigError::VersionsDiffer {
                model: Arc::clone(&spec.name),
                version: spec.version,
                location: spec.location,
                line,
                other_version: other.version,
                other_location: other.location,
                other_line,
            });
        }
    }
    Ok(config.text())
}

/// Returns the first lines that differ, from the first field that differs.
fn difference(one: &Message<'_>, other: &Message<'_>) -> Option<(String, String)> {
    let fields = one.fields.iter().chain(&other.fields);
    let mut texts = fields.map(|field| (alone(one, field.name), alone(other, field.name)));
    let (text, other_text) = texts.find(|(text, other_text)| text != other_text)?;
    let mut lines = text.lines();
    let mut other_lines = other_text.lines();
    let owned = |line: Option<&str>| line.unwrap_or("nothing").trim().to_owned();
    loop {
        match (lines.next(), other_lines.next()) {
            (Some(line), Some(other_line)) if line == other_line => {}
            (line, other_line) => return Some((owned(line), owned(other_line))),
        }
    }
}

/// Returns the text of one field.
fn alone(config: &Message<'_>, name: &str) -> String {
    let fields = config.fields.iter().filter(|field| field.name == name);
    let fields = fields.cloned().collect();
    Message { fields }.text()
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;
    use pytriton_kserve::configuration::BACKEND;
    use pytriton_kserve::configuration::table::ANY;

    use super::*;

    #[test]
    fn versions_with_different_configurations_are_refused() {
        let one = IDENTITY.spec().unwrap();
        let table: [(ModelDeclaration, &str); 4] = [
            (
                ModelDeclaration {
                    options: ModelOptions {
                        max_batch_size: 16,
                        ..IDENTITY.options
                    },
                    ..IDENTITY
                },
                "`max_batch_size: 8`, and version 2",
            ),
            (
                ModelDeclaration {
                    inputs: &[ANY],
                    ..IDENTITY
                },
                "`name: \"any\"`",
            ),
            (
                ModelDeclaration {
                    options: ModelOptions {
                        dynamic_batching: false,
                        ..IDENTITY.options
                    },
                    ..IDENTITY
                },
                "has `nothing`",
            ),
            (
                ModelDeclaration {
                    options: ModelOptions {
                        parameters: &[("a", "1")],
                        ..IDENTITY.options
                    },
                    ..IDENTITY
                },
                "has `parameters {`",
            ),
        ];
        for (declaration, expected) in table {
            let two = ModelDeclaration {
                options: ModelOptions {
                    version: 2,
                    ..declaration.options
                },
                ..declaration
            }
            .spec()
            .unwrap();
            let error = config_text(BACKEND, &one, &[&two]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains("testing.rs:1"), "{error}");
        }
    }
}
