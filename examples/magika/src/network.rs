use std::path::Path;

use pytriton::ndarray::ArrayView2;
use pytriton_onnx::{Dimension, Session, ValueType};

use crate::Result;

/// A network that returns a probability for each label.
pub(crate) struct Network(Session);

impl Network {
    /// Loads a network for this number of labels.
    pub(crate) fn load(path: &Path, labels: usize) -> Result<Self> {
        let session = Session::open(path)?.with_batch_axis()?;
        let output = &session.graph().outputs[0];
        let ValueType::Tensor {
            dims: Some(dims), ..
        } = &output.ty
        else {
            return Err(format!("the network returns {output}").into());
        };
        match dims.get(1) {
            Some(Dimension::Fixed(size)) if usize::try_from(*size) == Ok(labels) => {
                Ok(Self(session))
            }
            _ => Err(format!("the network returns {output}, expected {labels} labels").into()),
        }
    }

    /// Returns the index and the probability of the most probable label.
    pub(crate) fn decide(&self, tokens: &[i32]) -> Result<(usize, f32)> {
        let tokens = ArrayView2::from_shape((1, tokens.len()), tokens)?;
        let outputs = self.0.run(&[tokens.into()])?;
        let scores = outputs[0].elements::<f32>()?;
        let first = (0, f32::NEG_INFINITY);
        let best = scores.iter().copied().enumerate();
        // If several labels have the same probability, the first one wins.
        Ok(best.fold(first, |best, other| match other.1 > best.1 {
            true => other,
            false => best,
        }))
    }
}
