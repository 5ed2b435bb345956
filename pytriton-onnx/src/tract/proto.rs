use std::collections::HashSet;
use std::path::Path;

use tract_onnx::Onnx;
use tract_onnx::pb::tensor_proto::DataLocation;
use tract_onnx::pb::{GraphProto, ModelProto};
use tract_onnx::prelude::*;
use tract_onnx::tensor::load_tensor;

/// A file that tract has decoded.
pub(super) struct Proto {
    framework: Onnx,
    model: ModelProto,
    /// The directory with the weights that are in other files.
    folder: Option<String>,
}

impl Proto {
    pub(super) fn decode(file: &[u8], folder: Option<&Path>) -> TractResult<Self> {
        // Facts about intermediate values contain symbols, which known shapes contradict.
        let framework = onnx().with_ignore_value_info(true);
        let model = framework.proto_model_for_read(&mut &*file)?;
        model.graph.as_ref().map_or(Ok(()), check_outputs)?;
        Ok(Self {
            framework,
            model,
            folder: folder.and_then(Path::to_str).map(str::to_owned),
        })
    }

    /// Reads the weights that are in other files, which may change later.
    pub(super) fn read_weights(&mut self) -> TractResult<()> {
        const EXTERNAL: Option<i32> = Some(DataLocation::External as i32);
        let (provider, folder) = (&*self.framework.provider, self.folder.as_deref());
        let graph = self.model.graph.iter_mut();
        for weights in graph.flat_map(|graph| &mut graph.initializer) {
            if weights.data_location == EXTERNAL {
                let tensor = load_tensor(provider, weights, folder)?;
                weights.raw_data = tensor.as_bytes().to_vec();
            }
        }
        Ok(())
    }

    /// Creates the network. Its symbols are its own: the number of symbols grows while tract
    /// optimizes a network.
    pub(super) fn parse(&self) -> TractResult<InferenceModel> {
        let parsed = self.framework.parse(&self.model, self.folder.as_deref())?;
        match parsed.unresolved_inputs.first() {
            None => Ok(parsed.model),
            Some(name) => Err(not_computed(name)),
        }
    }
}

/// Checks that each output of a graph has a source. Otherwise, tract panics.
fn check_outputs(graph: &GraphProto) -> TractResult<()> {
    let inputs = graph.input.iter().map(|input| &input.name);
    let weights = graph.initializer.iter().map(|weights| &weights.name);
    // An input of a node is computed here or, in the body of a loop, in the outer graph.
    let nodes = graph.node.iter();
    let nodes = nodes.flat_map(|node| node.input.iter().chain(&node.output));
    let nodes = nodes.filter(|name| !name.is_empty());
    let known: HashSet<&String> = inputs.chain(weights).chain(nodes).collect();
    let mut outputs = graph.output.iter().map(|output| &output.name);
    if let Some(name) = outputs.find(|name| !known.contains(name)) {
        return Err(not_computed(name));
    }
    let attributes = graph.node.iter().flat_map(|node| &node.attribute);
    let mut bodies = attributes.filter_map(|attribute| attribute.g.as_ref());
    bodies.try_for_each(check_outputs)
}

fn not_computed(name: &str) -> TractError {
    TractError::msg(format!("no node computes `{name}`"))
}
