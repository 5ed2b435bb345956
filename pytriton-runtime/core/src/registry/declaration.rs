use crate::call::{Load, nothing};
use crate::decorators::Step;
use crate::model::{
    CallMode, CallOptions, FirstValue, InstanceGroup, Location, OutputOverride, Surface,
    TensorDeclaration, Warmup,
};

use super::{
    DynamicBatchingDeclaration, ModelOptions, SequenceBatchingDeclaration, Signature,
    VersionPolicyDeclaration,
};

/// The declaration of a model.
#[derive(Debug)]
pub struct ModelDeclaration {
    /// The name in URLs and requests.
    pub name: &'static str,
    /// The description; may be empty.
    pub description: &'static str,
    /// The version, from 1.
    pub version: u32,
    /// The version policy, if this version sets one.
    pub version_policy: Option<VersionPolicyDeclaration<'static>>,
    /// The maximum batch size; 0 for a model without a batch axis.
    pub max_batch_size: u32,
    /// The instances.
    pub instances: &'static [InstanceGroup],
    /// The options about calls of the function.
    pub call_options: CallOptions,
    /// The inputs, in the order of the function's parameters.
    pub inputs: &'static [TensorDeclaration],
    /// The outputs, as declared by the return type.
    pub outputs: &'static [TensorDeclaration],
    /// The `#[output]` attributes, in order; may be empty.
    pub output_overrides: &'static [OutputOverride],
    /// Dynamic batching; `None` sends each request separately.
    pub dynamic_batching: Option<DynamicBatchingDeclaration>,
    /// Sequence batching, instead of `dynamic_batching`; `None` for a model without sequences.
    pub sequence_batching: Option<SequenceBatchingDeclaration>,
    /// The parameters in the model's configuration.
    pub parameters: &'static [(&'static str, &'static str)],
    /// The unit that one call of the function processes.
    pub call: CallMode,
    /// Whether a request may have any number of responses.
    pub decoupled: bool,
    /// The OpenAI route of the model, if any.
    pub openai: Option<Surface>,
    /// Whether the function checks for cancellation.
    pub cancellable: bool,
    /// Whether the function takes the request parameters.
    pub takes_parameters: bool,
    /// Whether only requests with equal parameters share a call.
    pub by_parameters: bool,
    /// The inputs that are reduced to their first row.
    pub first_values: &'static [FirstValue],
    /// The inputs whose elements must be valid UTF-8.
    pub utf8_inputs: &'static [usize],
    /// The steps around the function, in order.
    pub steps: &'static [&'static dyn Step],
    /// The warm-up calls of each instance, in order.
    pub warmups: &'static [Warmup],
    /// Creates the function, or its state, once for each instance.
    pub load: Load,
    /// The model's location in the user's source code.
    pub location: Location,
}

impl ModelDeclaration {
    /// A model with these options; tensors, steps and loader must be added.
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
            call_options: options.call_options,
            inputs: &[],
            outputs: &[],
            output_overrides: &[],
            dynamic_batching: options.batcher(),
            sequence_batching: options.sequencer(),
            parameters: options.parameters,
            call: signature.call(),
            decoupled: signature.decoupled,
            openai: options.openai,
            cancellable: signature.cancellable(),
            takes_parameters: signature.takes_parameters(),
            by_parameters: signature.by_parameters(),
            first_values: &[],
            utf8_inputs: &[],
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
