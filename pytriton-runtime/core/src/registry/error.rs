use std::sync::Arc;

use pytriton_protocol::signature::Change;
use thiserror::Error;

use crate::decorators::StepError;
use crate::model::Location;
use crate::shared_state::{RequiredState, StateType};
use crate::text::did_you_mean;

use super::ModelFlaws;

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
    /// A model calls a model that does not exist.
    #[error(
        "model '{model}' at {location} calls model '{callee}', which does not exist: add it, or correct the name"
    )]
    UnknownCallee {
        /// The calling model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The name of the called model.
        callee: String,
    },
    /// A model calls a model whose signature differs from the one that it was compiled for.
    #[error(
        "model '{model}' at {location} calls model '{callee}', whose latest version differs from the one that it was compiled for:{}",
        changes_text(changes)
    )]
    OtherCallee {
        /// The calling model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The name of the called model.
        callee: String,
        /// The differences that break callers.
        changes: Vec<Change>,
    },
    /// Models call each other in a cycle, so that they could wait for each other forever.
    #[error("models call each other in a cycle: {}: remove one of the calls", models.join(" → "))]
    CallCycle {
        /// The models, in the order of the calls. The first is repeated at the end.
        models: Vec<String>,
    },
    /// A model calls a model that takes the identity of the client, but has none to pass on.
    #[error(
        "model '{model}' at {location} calls model '{callee}', directly or through other models, which takes the identity of the client, but {help}"
    )]
    LostIdentity {
        /// The calling model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The model that takes the identity.
        callee: Arc<str>,
        /// The reason, and what to do.
        help: &'static str,
    },
    /// A function takes a state that the program does not provide.
    #[error(
        "model '{model}' at {location} takes {required}, but the program provides {}: pass a function that creates it to `state` of `pytriton::Cli`, or the state to `state` of `Triton::builder()`; a Python module has no states: use a `static`",
        provided_text(provided)
    )]
    NoState {
        /// The model.
        model: Arc<str>,
        /// The location.
        location: Location,
        /// The parameter and its type.
        required: RequiredState,
        /// The states that the program provides.
        provided: Vec<StateType>,
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
    /// An override names a model that does not exist.
    #[error(
        "no model is named '{name}', which --model={given} overrides{}",
        did_you_mean(nearest.as_deref())
    )]
    UnknownModel {
        /// The name.
        name: Arc<str>,
        /// The override.
        given: String,
        /// The nearest name of a model.
        nearest: Option<Arc<str>>,
    },
    /// The options of a model have mistakes.
    #[error(transparent)]
    Options(#[from] ModelFlaws),
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

fn provided_text(provided: &[StateType]) -> String {
    if provided.is_empty() {
        return "no states".to_owned();
    }
    let types: Vec<String> = provided.iter().map(|ty| format!("`{ty}`")).collect();
    format!("only {}", types.join(", "))
}

fn changes_text(changes: &[Change]) -> String {
    let changes = changes.iter().map(|change| format!("\n  {change}"));
    changes.collect()
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
