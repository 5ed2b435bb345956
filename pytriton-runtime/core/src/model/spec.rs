use std::collections::BTreeMap;
use std::sync::Arc;

use pytriton_protocol::signature::ModelSignature;

use crate::shared_state::RequiredState;
use crate::tensor::{ElementCheck, dims_match};

use super::{
    Batcher, CallMode, CallOptions, FirstValue, InstanceGroups, Location, Surface, TensorSpec,
    VersionPolicy, Warmup,
};

/// A registered model: its declaration with defaults applied and all rules checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelSpec {
    /// The name.
    pub name: Arc<str>,
    /// The description; may be empty.
    pub description: Arc<str>,
    /// The version.
    pub version: u32,
    /// The version policy that this version sets, if any.
    pub version_policy: Option<VersionPolicy>,
    /// The maximum batch size; 0 for a model without a batch axis.
    pub max_batch_size: u32,
    /// The instances.
    pub instances: InstanceGroups,
    /// The options about calls of the function.
    pub call_options: CallOptions,
    /// The inputs, in the order of the function's parameters.
    pub inputs: Vec<TensorSpec>,
    /// The outputs, in the order of the return type.
    pub outputs: Vec<TensorSpec>,
    /// The labels of an output's elements, one per line, by the index of the output.
    pub labels: BTreeMap<usize, Arc<str>>,
    /// How requests form batches; `None` sends each request separately.
    pub batcher: Option<Batcher>,
    /// The parameters in the model's configuration, with distinct names.
    pub parameters: Vec<(Arc<str>, Arc<str>)>,
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
    /// Whether the function takes the identity of the client.
    pub takes_identity: bool,
    /// The inputs that are reduced to their first row.
    pub first_values: Vec<FirstValue>,
    /// The input whose elements are the cost of a request, if the cost of batches is limited.
    pub cost_input: Option<usize>,
    /// The `BYTES` inputs that the function reads as `String`, so that their elements must be valid
    /// UTF-8.
    pub utf8_inputs: Vec<usize>,
    /// The inputs whose rows may have different lengths within a batch, ascending.
    pub ragged_inputs: Vec<usize>,
    /// The server decodes these inputs to validate them before it batches requests, if
    /// [`validates_first`](Self::validates_first) is set, or if a batch could not be read.
    pub decoded_inputs: Vec<(usize, ElementCheck)>,
    /// Whether these inputs are validated before every call of several requests: for functions that
    /// may be called before all inputs have been read.
    pub validates_first: bool,
    /// The warm-up calls of each instance, in order.
    pub warmups: Vec<Warmup>,
    /// The models that the function calls, as it was compiled for.
    pub callees: Vec<ModelSignature>,
    /// The shared states that the function takes.
    pub shared_states: Vec<RequiredState>,
    /// The model's location in the user's source code.
    pub location: Location,
}

impl ModelSpec {
    /// Whether tensors have a batch axis.
    pub fn batching(&self) -> bool {
        self.max_batch_size > 0
    }

    /// Whether only requests of the same client share a call.
    pub fn by_identity(&self) -> bool {
        self.takes_identity && self.call == CallMode::Batch
    }

    /// Whether the rows of an input may have different lengths within a batch.
    pub fn is_ragged(&self, input: usize) -> bool {
        self.ragged_inputs.contains(&input)
    }

    /// The dynamic batcher, if the model has it.
    pub fn dynamic_batching(&self) -> Option<&Batcher> {
        let batcher = self.batcher.as_ref();
        batcher.filter(|batcher| batcher.sequences.is_none())
    }

    /// The sequence batcher; `None` for a model without sequences.
    pub fn sequence_batching(&self) -> Option<&Batcher> {
        let batcher = self.batcher.as_ref();
        batcher.filter(|batcher| batcher.sequences.is_some())
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let (_, value) = parameters.find(|(other, _)| **other == *name)?;
        Some(value)
    }

    /// The dimensions of a tensor as clients see them: preceded by -1 if there is a batch axis.
    pub fn client_dims(&self, tensor: &TensorSpec) -> Vec<i64> {
        let batch_axis = self.batching().then_some(-1);
        batch_axis
            .into_iter()
            .chain(tensor.dims.iter().copied())
            .collect()
    }

    /// Whether a shape, including the batch axis if there is one, matches a tensor.
    pub fn fits(&self, tensor: &TensorSpec, shape: &[usize]) -> bool {
        match (self.batching(), shape) {
            (true, [_, dims @ ..]) => dims_match(&tensor.dims, dims),
            (true, []) => false,
            (false, dims) => dims_match(&tensor.dims, dims),
        }
    }

    /// The name of the file with an output's labels in the model's folder, for tritonserver; empty
    /// for none.
    pub fn label_filename(&self, output: usize) -> String {
        match self.labels.contains_key(&output) {
            true => format!("labels_{output}.txt"),
            false => String::new(),
        }
    }

    /// The index of an input by name.
    pub fn input_index(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| *input.name == *name)
    }

    /// The index of an output by name.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| *output.name == *name)
    }
}
