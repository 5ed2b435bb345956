use std::path::Path;
use std::sync::Arc;

use tract_onnx::prelude::*;

/// A network that returns a probability for each label.
pub(crate) struct Network(Arc<TypedRunnableModel>);

impl Network {
    /// Reads the network for one file at a time, with the given numbers of tokens and labels.
    pub(crate) fn load(path: &Path, tokens: usize, labels: usize) -> TractResult<Self> {
        let network = onnx().model_for_path(path)?;
        let network = network.with_input_fact(0, i32::fact([1, tokens]).into())?;
        let network = network.into_optimized()?;
        let shape = &network.output_fact(0)?.shape;
        if shape.as_concrete() != Some(&[1, labels]) {
            let message = format!("the network says {shape:?}, expected one of {labels} labels");
            return Err(TractError::msg(message));
        }
        Ok(Self(network.into_runnable()?))
    }

    /// Returns the index and the probability of the most probable label.
    pub(crate) fn decide(&self, tokens: &[i32]) -> TractResult<(usize, f32)> {
        let tokens = Tensor::from_shape(&[1, tokens.len()], tokens)?;
        let outputs = self.0.run(tvec![tokens.into_tvalue()])?;
        let scores = outputs[0].to_plain_array_view::<f32>()?;
        let first = (0, f32::NEG_INFINITY);
        let best = scores.iter().copied().enumerate();
        // If several labels have the same probability, the first one wins.
        Ok(best.fold(first, |best, other| match other.1 > best.1 {
            true => other,
            false => best,
        }))
    }
}
