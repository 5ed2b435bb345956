use std::sync::Arc;

use thiserror::Error;

use crate::decorators::StepError;
use crate::model::Location;
use crate::text::did_you_mean;

/// All mistakes in a model, displayed one per line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", lines(model, location, flaws))]
pub struct ModelFlaws {
    /// The name of the model.
    pub model: Arc<str>,
    /// The location in the source.
    pub location: Location,
    /// The mistakes in the order in which a model is written.
    pub flaws: Vec<Flaw>,
}

/// A mistake in a model, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The value of an option is invalid.
    #[error("`{option}`: {help}")]
    Option {
        /// The name of the option.
        option: &'static str,
        /// The correction: what to write instead.
        help: &'static str,
    },
    /// The value of the expression for `instances` is out of range.
    #[error("the expression for `instances` returned {count}: {help}")]
    Instances {
        /// The value.
        count: i128,
        /// The correction: what to write instead.
        help: &'static str,
    },
    /// An override names an option that does not exist or cannot be overridden.
    #[error(
        "`{option}` is not an option that can be overridden{}",
        did_you_mean(nearest.as_deref())
    )]
    Unknown {
        /// The name.
        option: Arc<str>,
        /// The nearest name of an option that can be.
        nearest: Option<Arc<str>>,
    },
    /// The value of an override has another form.
    #[error("`{option}`: expected {expected}, found `{value}`")]
    Value {
        /// The name of the option.
        option: &'static str,
        /// The value.
        value: Arc<str>,
        /// The expected form.
        expected: &'static str,
    },
    /// A preferred batch size is invalid.
    #[error("`preferred_batch_size` {size}: {help}")]
    PreferredSize {
        /// The size.
        size: u32,
        /// The correction: what to write instead.
        help: &'static str,
    },
    /// An option of a priority level's queue is invalid.
    #[error("`priority_queue_policy` of level {level}, `{option}`: {help}")]
    Level {
        /// The level.
        level: u64,
        /// The option.
        option: &'static str,
        /// The correction: what to write instead.
        help: &'static str,
    },
    /// Options exclude each other.
    #[error("{help}")]
    Conflict {
        /// The options, and which to remove.
        help: &'static str,
    },
    /// A configuration parameter has two values.
    #[error("`parameter(\"{name}\", …)` is set twice: remove one")]
    ParameterTwice {
        /// The name of the parameter.
        name: Arc<str>,
    },
    /// The name of a tensor is invalid.
    #[error("tensor `{name}`: {help}")]
    TensorName {
        /// The name.
        name: Arc<str>,
        /// The reason, and what to write instead.
        help: &'static str,
    },
    /// Two inputs or two outputs have the same name.
    #[error("two {kind}s are named `{name}`: rename one")]
    TensorTwice {
        /// `input` or `output`.
        kind: &'static str,
        /// The name.
        name: Arc<str>,
    },
    /// A tensor has no dimensions other than the batch axis.
    #[error("tensor `{tensor}` needs at least one dimension: write `[-1]`")]
    NoDims {
        /// The name of the tensor.
        tensor: Arc<str>,
    },
    /// The dims exceed the maximum number of elements.
    #[error("tensor `{tensor}`: {help}")]
    Elements {
        /// The name of the tensor.
        tensor: Arc<str>,
        /// The reason.
        help: &'static str,
    },
    /// A dimension is invalid.
    #[error("tensor `{tensor}` has a dimension {dim}: {help}")]
    Dim {
        /// The name of the tensor.
        tensor: Arc<str>,
        /// The dimension.
        dim: i64,
        /// The correction: what to write instead.
        help: &'static str,
    },
    /// A model with a batch axis needs an input.
    #[error(
        "a model with a batch axis needs an input: write `.input(Input::new::<f32>(\"INPUT_1\", [-1]))`, or `.batching(false)`"
    )]
    NoInput,
    /// The model has no outputs.
    #[error("a model needs an output: write `.output(Output::new::<f32>(\"OUTPUT_1\", [-1]))`")]
    NoOutput,
    /// A step cannot work with the model.
    #[error("{0}")]
    Step(StepError),
    /// A warm-up cannot work with the model.
    #[error("warm-up `{warmup}`: {help}")]
    Warmup {
        /// The name of the warm-up.
        warmup: Arc<str>,
        /// The reason, and what to write instead.
        help: String,
    },
    /// The list of functions is empty.
    #[error("the list of functions is empty: pass at least one")]
    NoFunction,
    /// The functions of the instances are of different kinds.
    #[error(
        "the functions of a model's instances must be of the same kind: all batch, all per request, or all raw"
    )]
    MixedFunctions,
    /// The number of functions differs from the number of instances.
    #[error(
        "`instances` is {instances}, but there are {functions} functions: remove it, or write one function for each"
    )]
    Functions {
        /// The number of instances.
        instances: u32,
        /// The number of functions.
        functions: usize,
    },
}

fn lines(model: &str, location: &Location, flaws: &[Flaw]) -> String {
    let lines = flaws
        .iter()
        .map(|flaw| format!("model '{model}' at {location}: {flaw}"));
    lines.collect::<Vec<_>>().join("\n")
}
