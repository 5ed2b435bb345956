use std::sync::Arc;

use thiserror::Error;

use crate::decorators::StepError;
use crate::model::Location;

/// An invalid set of registered models.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two models have the same name and version.
    #[error("model '{model}' version {version} is registered twice: at {first} and at {second}")]
    DuplicateModel {
        /// The name.
        model: Arc<str>,
        /// The version.
        version: u32,
        /// The first location.
        first: Location,
        /// The second location.
        second: Location,
    },
    /// Two versions of a model set different version policies.
    #[error(
        "all versions of model '{model}' must have the same `version_policy`, but version {version} (declared at {location}) has another policy than version {other_version} (declared at {other_location})"
    )]
    VersionPolicies {
        /// The model.
        model: Arc<str>,
        /// The version.
        version: u32,
        /// The location.
        location: Location,
        /// Another version.
        other_version: u32,
        /// The location.
        other_location: Location,
    },
    /// The `version_policy` of a model selects none of its versions.
    #[error(
        "model '{model}' at {location}: `version_policy` selects none of the versions {versions:?}: select at least one"
    )]
    NoVersion {
        /// The model.
        model: Arc<str>,
        /// The location of one of its versions.
        location: Location,
        /// All its versions.
        versions: Vec<u32>,
    },
    /// Two inputs or two outputs have the same name.
    #[error("model '{model}' at {location} has two tensors named '{tensor}'")]
    DuplicateTensor {
        /// The model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The name.
        tensor: Arc<str>,
    },
    /// The number of `#[output]` attributes differs from the number of outputs.
    #[error(
        "model '{model}' at {location} has {expected} outputs but {got} `#[output]` attributes: write one for each output, or remove them all"
    )]
    OutputCount {
        /// The model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The number of outputs of the return type.
        expected: usize,
        /// The number of attributes.
        got: usize,
    },
    /// The shape of a tensor does not match its rank.
    #[error("{}", rank_text(model, location, tensor, *rank, shape.as_deref(), help))]
    Rank {
        /// The model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The tensor.
        tensor: Arc<str>,
        /// The rank of the Rust array; `None` for any.
        rank: Option<usize>,
        /// The declared dimensions.
        shape: Option<Vec<i64>>,
        /// The problem, and what to write instead.
        help: &'static str,
    },
    /// A step does not fit the model.
    #[error("model '{model}' at {location}: {source}")]
    Step {
        /// The model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The reason.
        #[source]
        source: StepError,
    },
    /// Several errors.
    #[error("{}", lines(_0))]
    Several(Vec<Self>),
}

impl RegistryError {
    /// Combines errors, if there are any.
    pub(super) fn all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => errors.pop().map_or(Ok(()), Err),
            _ => Err(Self::Several(errors)),
        }
    }
}

fn lines(errors: &[RegistryError]) -> String {
    let lines: Vec<String> = errors.iter().map(RegistryError::to_string).collect();
    lines.join("\n")
}

fn rank_text(
    model: &str,
    location: &Location,
    tensor: &str,
    rank: Option<usize>,
    shape: Option<&[i64]>,
    help: &str,
) -> String {
    let array = match rank {
        Some(rank) => format!("an array of rank {rank}"),
        None => "an array of any rank".to_owned(),
    };
    let shape = match shape {
        Some(shape) => format!("shape {shape:?}"),
        None => "no shape".to_owned(),
    };
    format!("tensor '{tensor}' of model '{model}' at {location} is {array} with {shape}: {help}")
}
