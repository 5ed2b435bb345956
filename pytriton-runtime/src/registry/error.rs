use std::sync::Arc;

use thiserror::Error;

use crate::decorators::StepError;
use crate::model::Location;

/// Why the registered models cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two models of one name and version.
    #[error("model '{model}' version {version} is registered twice: at {first} and at {second}")]
    DuplicateModel {
        /// The name.
        model: Arc<str>,
        /// The version.
        version: u32,
        /// One place.
        first: Location,
        /// The other.
        second: Location,
    },
    /// Two versions of a model do not agree on which versions are served.
    #[error(
        "model '{model}' has one `version_policy` for all of its versions, but version {version} (declared at {location}) \
         says another one than version {other_version} (declared at {other_location})"
    )]
    VersionPolicies {
        /// The model.
        model: Arc<str>,
        /// A version.
        version: u32,
        /// Where it stands.
        location: Location,
        /// Another version.
        other_version: u32,
        /// Where it stands.
        other_location: Location,
    },
    /// The `version_policy` of a model names none of its versions.
    #[error(
        "model '{model}' at {location}: `version_policy` leaves none of its versions {versions:?}: name one of them"
    )]
    NoVersion {
        /// The model.
        model: Arc<str>,
        /// Where one of its versions stands.
        location: Location,
        /// All of its versions.
        versions: Vec<u32>,
    },
    /// Two inputs or two outputs of one name.
    #[error("model '{model}' at {location} has two tensors of the name '{tensor}'")]
    DuplicateTensor {
        /// The model.
        model: Arc<str>,
        /// Where it stands.
        location: Location,
        /// The name.
        tensor: Arc<str>,
    },
    /// `#[output]` stands more or less often than the function has outputs.
    #[error(
        "model '{model}' at {location} has {expected} outputs but {got} `#[output]` attributes: write one for each output, or none"
    )]
    OutputCount {
        /// The model.
        model: Arc<str>,
        /// Where it stands.
        location: Location,
        /// The outputs of the return type.
        expected: usize,
        /// The attributes.
        got: usize,
    },
    /// A tensor whose shape and rank do not go together.
    #[error("{}", rank_text(model, location, tensor, *rank, shape.as_deref(), help))]
    Rank {
        /// The model.
        model: Arc<str>,
        /// Where it stands.
        location: Location,
        /// The tensor.
        tensor: Arc<str>,
        /// The rank of the Rust array; `None` for any.
        rank: Option<usize>,
        /// The declared dims.
        shape: Option<Vec<i64>>,
        /// What is wrong, and what to write.
        help: &'static str,
    },
    /// A step that does not fit the model.
    #[error("model '{model}' at {location}: {source}")]
    Step {
        /// The model.
        model: Arc<str>,
        /// Where it stands.
        location: Location,
        /// Why.
        #[source]
        source: StepError,
    },
    /// More than one of the others.
    #[error("{}", lines(_0))]
    Several(Vec<Self>),
}

impl RegistryError {
    /// All errors as one, if there are any.
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
