use crate::call::{Load, nothing};
use crate::decorators::Step;
use crate::model::{
    CallMode, FirstValue, InstanceGroup, Location, OutputOverride, Surface, TensorDeclaration,
    Warmup,
};

use super::{
    DynamicBatchingDeclaration, ModelOptions, SequenceBatchingDeclaration, Signature,
    VersionPolicyDeclaration,
};

/// A model as it is declared.
#[derive(Debug)]
pub struct ModelDeclaration {
    /// The model's name in URLs and requests.
    pub name: &'static str,
    /// What the model is, for people; empty where nothing is said.
    pub description: &'static str,
    /// The model's version, from 1.
    pub version: u32,
    /// Which versions of the model are served; `None` where this one says nothing.
    pub version_policy: Option<VersionPolicyDeclaration<'static>>,
    /// The largest batch; 0 for a model whose tensors have no batch axis.
    pub max_batch_size: u32,
    /// The instances of the model that run in parallel.
    pub instances: &'static [InstanceGroup],
    /// How many batches an instance has at a time; an `async` function runs them side by side.
    pub batches_in_flight: u32,
    /// How long a call of the function may take, in microseconds; 0 for any time.
    pub max_call_microseconds: u64,
    /// Whether a function that panics is beyond repair.
    pub unrecoverable_panics: bool,
    /// The inputs, in the order of the function's parameters.
    pub inputs: &'static [TensorDeclaration],
    /// The outputs, as the function's return type declares them.
    pub outputs: &'static [TensorDeclaration],
    /// Names and dims that `#[output]` gives to the outputs, in their order; empty for none.
    pub output_overrides: &'static [OutputOverride],
    /// How requests are gathered; `None` sends each request alone.
    pub dynamic_batching: Option<DynamicBatchingDeclaration>,
    /// How the requests of sequences are gathered, in the place of `dynamic_batching`; `None` for a model that knows no
    /// sequences.
    pub sequence_batching: Option<SequenceBatchingDeclaration>,
    /// Whether requests of the same inputs may be answered with one response.
    pub response_cache: bool,
    /// Names and values of whatever the model's configuration is to say besides.
    pub parameters: &'static [(&'static str, &'static str)],
    /// What one call of the function sees.
    pub call: CallMode,
    /// Whether a request has any number of answers.
    pub decoupled: bool,
    /// Over which of OpenAI's routes the model is served besides.
    pub openai: Option<Surface>,
    /// Whether the function asks if anybody waits for its answers.
    pub cancellable: bool,
    /// Whether the function asks for the parameters of its requests.
    pub takes_parameters: bool,
    /// Whether requests of different parameters are called apart, as the function takes them.
    pub by_parameters: bool,
    /// The inputs of which a call sees the first row alone.
    pub first_values: &'static [FirstValue],
    /// The steps around the function, in their order.
    pub steps: &'static [&'static dyn Step],
    /// What each instance is called with before it takes requests, in this order.
    pub warmups: &'static [Warmup],
    /// Makes the function, or the state it is called on, once for each instance.
    pub load: Load,
    /// Where the model stands in the user's source.
    pub location: Location,
}

impl ModelDeclaration {
    /// A model of these options, whose tensors, steps and loader are to be filled in.
    pub(super) fn new(options: &ModelOptions<'static>, signature: &Signature) -> Self {
        Self {
            name: options.name,
            description: options.description,
            version: options.version,
            version_policy: options.version_policy,
            max_batch_size: match options.batching {
                true => options.max_batch_size,
                false => 0,
            },
            instances: options.instances,
            batches_in_flight: options.batches_in_flight,
            max_call_microseconds: options.max_call_microseconds,
            unrecoverable_panics: options.unrecoverable_panics,
            inputs: &[],
            outputs: &[],
            output_overrides: &[],
            dynamic_batching: options.batcher(),
            sequence_batching: options.sequencer(),
            response_cache: options.response_cache,
            parameters: options.parameters,
            call: signature.call(),
            decoupled: signature.decoupled,
            openai: options.openai,
            cancellable: signature.cancellable(),
            takes_parameters: signature.takes_parameters(),
            by_parameters: signature.by_parameters(),
            first_values: &[],
            steps: &[],
            warmups: &[],
            load: |context| Err(nothing(context)),
            location: Location {
                package: "",
                file: "",
                line: 0,
            },
        }
    }
}
