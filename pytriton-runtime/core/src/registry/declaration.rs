use crate::call::{Load, nothing};
use crate::decorators::Step;
use crate::model::{CallMode, FirstValue, Location, OutputOverride, TensorDeclaration, Warmup};

use super::{ModelOptions, Signature};

/// The declaration of a model.
#[derive(Debug)]
pub struct ModelDeclaration {
    /// The options.
    pub options: ModelOptions<'static>,
    /// The inputs, in the order of the function's parameters.
    pub inputs: &'static [TensorDeclaration],
    /// The outputs, as declared by the return type.
    pub outputs: &'static [TensorDeclaration],
    /// The `#[output]` attributes, in order; may be empty.
    pub output_overrides: &'static [OutputOverride],
    /// The unit that one call of the function processes.
    pub call: CallMode,
    /// Whether a request may have any number of responses.
    pub decoupled: bool,
    /// Whether the function checks for cancellation.
    pub cancellable: bool,
    /// Whether the function takes the request parameters.
    pub takes_parameters: bool,
    /// Whether only requests with equal parameters share a call.
    pub by_parameters: bool,
    /// Whether the function takes the identity of the client.
    pub takes_identity: bool,
    /// The inputs that are reduced to their first row.
    pub first_values: &'static [FirstValue],
    /// The inputs whose elements must be valid UTF-8.
    pub utf8_inputs: &'static [usize],
    /// The inputs whose rows may have different lengths within a batch.
    pub ragged_inputs: &'static [usize],
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
            options: *options,
            inputs: &[],
            outputs: &[],
            output_overrides: &[],
            call: signature.call(),
            decoupled: signature.decoupled,
            cancellable: signature.cancellable(),
            takes_parameters: signature.takes_parameters(),
            by_parameters: signature.by_parameters(),
            takes_identity: signature.takes_identity(),
            first_values: &[],
            utf8_inputs: &[],
            ragged_inputs: &[],
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
