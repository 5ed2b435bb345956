use std::sync::Arc;

use thiserror::Error;

use crate::decorators::StepError;
use crate::model::Location;

/// Everything that is wrong with a model, one mistake a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", lines(model, location, flaws))]
pub struct ModelFlaws {
    /// The model.
    pub model: Arc<str>,
    /// Where it was put together.
    pub location: Location,
    /// What is wrong, in the order in which a model is written.
    pub flaws: Vec<Flaw>,
}

/// A mistake in a model, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// An option that cannot be what it is.
    #[error("`{option}`: {help}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What to write instead.
        help: &'static str,
    },
    /// A preferred batch size that cannot be one.
    #[error("`preferred_batch_size` {size}: {help}")]
    PreferredSize {
        /// The size.
        size: u32,
        /// What to write instead.
        help: &'static str,
    },
    /// An option of a priority level's own queue that cannot be what it is.
    #[error("`priority_queue_policy` of level {level}, `{option}`: {help}")]
    Level {
        /// The level.
        level: u32,
        /// The option.
        option: &'static str,
        /// What to write instead.
        help: &'static str,
    },
    /// Things that cannot stand together.
    #[error("{help}")]
    Conflict {
        /// Which, and what to remove.
        help: &'static str,
    },
    /// A parameter of the configuration that has two values.
    #[error("`parameter(\"{name}\", …)` stands twice: remove one")]
    ParameterTwice {
        /// Its name.
        name: Arc<str>,
    },
    /// A name that a tensor cannot have.
    #[error("tensor `{name}`: {help}")]
    TensorName {
        /// The name.
        name: Arc<str>,
        /// Why, and what to write instead.
        help: &'static str,
    },
    /// Two inputs or two outputs of one name.
    #[error("two {kind}s are named `{name}`: write another name")]
    TensorTwice {
        /// `input` or `output`.
        kind: &'static str,
        /// The name.
        name: Arc<str>,
    },
    /// A tensor that has no dimensions but the batch axis.
    #[error("tensor `{tensor}` needs at least one dimension: write `[-1]`")]
    NoDims {
        /// Its name.
        tensor: Arc<str>,
    },
    /// Dims that no tensor can have together.
    #[error("tensor `{tensor}`: {help}")]
    Elements {
        /// Its name.
        tensor: Arc<str>,
        /// Why.
        help: &'static str,
    },
    /// A dimension that no tensor can have.
    #[error("tensor `{tensor}` has a dimension {dim}: {help}")]
    Dim {
        /// Its name.
        tensor: Arc<str>,
        /// The dimension.
        dim: i64,
        /// What to write instead.
        help: &'static str,
    },
    /// A batch axis without a tensor.
    #[error(
        "a model with a batch axis needs an input: write `.input(Input::new::<f32>(\"INPUT_1\", [-1]))`, or `.batching(false)`"
    )]
    NoInput,
    /// A model that answers nothing.
    #[error("a model needs an output: write `.output(Output::new::<f32>(\"OUTPUT_1\", [-1]))`")]
    NoOutput,
    /// A step that can never work with the model.
    #[error("{0}")]
    Step(StepError),
    /// A warm-up that can never work with the model.
    #[error("warm-up `{warmup}`: {help}")]
    Warmup {
        /// Its name.
        warmup: Arc<str>,
        /// Why, and what to write instead.
        help: String,
    },
    /// A list of functions that has none.
    #[error("a model needs a function: the list of its functions is empty")]
    NoFunction,
    /// Functions of different kinds for the instances of one model.
    #[error(
        "the functions of a model's instances must be of one kind: all for a batch, all for a request, or all raw"
    )]
    MixedFunctions,
    /// More or fewer functions than instances.
    #[error(
        "`instances` is {instances}, but there are {functions} functions: remove it, or write one function for each"
    )]
    Functions {
        /// The instances.
        instances: u32,
        /// The functions.
        functions: usize,
    },
}

fn lines(model: &str, location: &Location, flaws: &[Flaw]) -> String {
    let lines = flaws
        .iter()
        .map(|flaw| format!("model '{model}' at {location}: {flaw}"));
    lines.collect::<Vec<_>>().join("\n")
}
