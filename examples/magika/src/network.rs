use std::path::Path;

use pytriton::ndarray::ArrayView2;
use pytriton_onnx::{DataType, Dimension, Session, ValueInfo, ValueType};

use crate::Result;

/// A network that returns a probability for each label.
pub(crate) struct Network(Session);

impl Network {
    /// Loads a network for these numbers of tokens and labels.
    pub(crate) fn load(path: &Path, tokens: usize, labels: usize) -> Result<Self> {
        Self::new(Session::open(path)?, tokens, labels)
    }

    fn new(session: Session, tokens: usize, labels: usize) -> Result<Self> {
        let session = session.with_batch_axis()?;
        let graph = session.graph();
        let input = match &graph.inputs[..] {
            [input] => input,
            inputs => return Err(format!("the network has {} inputs", inputs.len()).into()),
        };
        if !has_columns(input, DataType::Int32, tokens) {
            return Err(format!("the network takes {input}, expected {tokens} tokens").into());
        }
        let output = &graph.outputs[0];
        if !has_columns(output, DataType::Fp32, labels) {
            return Err(format!("the network returns {output}, expected {labels} labels").into());
        }
        Ok(Self(session))
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

/// Returns whether the rows of a tensor have this number of elements of this type.
fn has_columns(value: &ValueInfo, datatype: DataType, columns: usize) -> bool {
    let ValueType::Tensor { element, dims } = &value.ty else {
        return false;
    };
    let columns = i64::try_from(columns).map(Dimension::Fixed);
    element.datatype() == Some(datatype)
        && matches!((dims.as_deref(), columns), (Some([_, size]), Ok(columns)) if *size == columns)
}

#[cfg(test)]
mod tests {
    use pytriton_test_onnx::OnnxFile;

    use super::*;

    #[test]
    fn network_with_other_tensors_is_an_error() {
        const INT32: u64 = 6;
        let file = |element, input: &str, output: &str| {
            OnnxFile::new()
                .input("bytes", element, input)
                .output("scores", OnnxFile::FLOAT, output)
                .node_with("Cast", &["bytes"], &["scores"], &[("to", OnnxFile::FLOAT)])
        };
        let valid = file(INT32, "batch 3", "batch 3");
        let two = valid.clone().input("other", INT32, "batch 3");
        let wide = file(INT32, "batch 4", "batch 4");
        let long = file(OnnxFile::INT64, "batch 3", "batch 3");
        let load = |file: &OnnxFile, labels| {
            let network = Network::new(Session::new(&file.encode())?, 3, labels);
            network.map(|network| network.decide(&[1, 3, 2]))?
        };
        let text = |file, labels| load(file, labels).unwrap_err().to_string();
        assert_eq!(load(&valid, 3).unwrap(), (1, 3.0));
        assert_eq!(text(&two, 3), "the network has 2 inputs");
        assert_eq!(
            text(&wide, 3),
            "the network takes bytes: INT32 [batch, 4], expected 3 tokens"
        );
        assert_eq!(
            text(&long, 3),
            "the network takes bytes: INT64 [batch, 3], expected 3 tokens"
        );
        assert_eq!(
            text(&valid, 4),
            "the network returns scores: FLOAT [batch, 3], expected 4 labels"
        );
    }
}
