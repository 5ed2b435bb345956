use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::tensor::dims_match;

use super::{
    CallMode, DynamicBatching, FirstValue, InstanceGroups, Location, SequenceBatching, Surface,
    TensorSpec, VersionPolicy, Warmup,
};

/// A registered model: its declaration with every default filled in and every rule checked.
#[derive(Debug, Clone)]
pub struct ModelSpec {
    /// The model's name.
    pub name: Arc<str>,
    /// What the model is, for people; empty where nothing is said.
    pub description: Arc<str>,
    /// The model's version.
    pub version: u32,
    /// Which versions of the model are served, as this one says; `None` where it says nothing.
    pub version_policy: Option<VersionPolicy>,
    /// The largest batch; 0 for a model whose tensors have no batch axis.
    pub max_batch_size: u32,
    /// The instances that run in parallel.
    pub instances: InstanceGroups,
    /// How many batches an instance has at a time.
    pub batches_in_flight: u32,
    /// How long a call of the function may take; `None` for any time.
    pub max_call: Option<Duration>,
    /// Whether a function that panics is beyond repair.
    pub unrecoverable_panics: bool,
    /// The inputs in the order of the function's parameters.
    pub inputs: Vec<TensorSpec>,
    /// The outputs in the order of the return type.
    pub outputs: Vec<TensorSpec>,
    /// What the elements of outputs are called, one a line, by the index of the output; nothing for one without labels.
    pub labels: BTreeMap<usize, Arc<str>>,
    /// How requests are gathered; `None` sends each request alone.
    pub dynamic_batching: Option<DynamicBatching>,
    /// How the requests of sequences are gathered; `None` for a model that knows no sequences. Never beside
    /// `dynamic_batching`.
    pub sequence_batching: Option<SequenceBatching>,
    /// Whether requests of the same inputs may be answered with one response.
    pub response_cache: bool,
    /// Names and values of whatever else the model's configuration says, each name once.
    pub parameters: Vec<(Arc<str>, Arc<str>)>,
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
    pub first_values: Vec<FirstValue>,
    /// What each instance is called with before it takes requests, in this order.
    pub warmups: Vec<Warmup>,
    /// Where the model stands in the user's source.
    pub location: Location,
}

impl ModelSpec {
    /// Whether tensors have a batch axis.
    pub fn batching(&self) -> bool {
        self.max_batch_size > 0
    }

    /// The value of the parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let (_, value) = parameters.find(|(other, _)| **other == *name)?;
        Some(value)
    }

    /// The dims of a tensor as clients see them: with -1 for the batch axis in front where there is one.
    pub fn client_dims(&self, tensor: &TensorSpec) -> Vec<i64> {
        let batch_axis = self.batching().then_some(-1);
        batch_axis
            .into_iter()
            .chain(tensor.dims.iter().copied())
            .collect()
    }

    /// Whether a shape with the batch axis, where there is one, is one of a tensor's.
    pub fn fits(&self, tensor: &TensorSpec, shape: &[usize]) -> bool {
        match (self.batching(), shape) {
            (true, [_, dims @ ..]) => dims_match(&tensor.dims, dims),
            (true, []) => false,
            (false, dims) => dims_match(&tensor.dims, dims),
        }
    }

    /// The name of the file in the model's folder that tritonserver reads the labels of an output from; empty for none.
    pub(crate) fn label_filename(&self, output: usize) -> String {
        match self.labels.contains_key(&output) {
            true => format!("labels_{output}.txt"),
            false => String::new(),
        }
    }

    /// The index of the input of that name.
    pub fn input_index(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| *input.name == *name)
    }

    /// The index of the output of that name.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| *output.name == *name)
    }
}
