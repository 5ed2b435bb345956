use std::path::Path;
use std::sync::Arc;

use tract_onnx::prelude::tract_ndarray::{Array1, ArrayView1, Axis, concatenate, s};
use tract_onnx::prelude::*;

/// The samples of one step: 32 ms at 16 kHz.
const SAMPLES: usize = 512;

/// The number of samples of the previous step that the network receives again.
const BEFORE: usize = 64;

/// Silero VAD for 16 kHz, which detects speech.
pub(crate) struct Network(Arc<TypedRunnableModel>);

/// The state of the network for one stream.
pub(crate) struct Listener {
    before: Array1<f32>,
    hidden: TValue,
    cell: TValue,
}

impl Listener {
    /// Creates the state for the start of a stream.
    pub(crate) fn new() -> TractResult<Self> {
        let zero = Tensor::zero::<f32>(&[1, 1, 128])?.into_tvalue();
        Ok(Self {
            before: Array1::zeros(BEFORE),
            hidden: zero.clone(),
            cell: zero,
        })
    }

    /// Returns the probability of speech in the next samples.
    pub(crate) fn step(&mut self, network: &Network, samples: ArrayView1<f32>) -> TractResult<f32> {
        let window = concatenate![Axis(0), self.before, samples];
        let before = window.slice(s![SAMPLES..]).to_owned();
        let window = Tensor::from(window.insert_axis(Axis(0))).into_tvalue();
        let inputs = tvec![window, self.hidden.clone(), self.cell.clone()];
        let outputs = network.0.run(inputs)?;
        let [probability, hidden, cell] = &outputs[..] else {
            return Err(TractError::msg("the network has not three outputs"));
        };
        self.before = before;
        (self.hidden, self.cell) = (hidden.clone(), cell.clone());
        probability.cast_to_scalar()
    }
}

impl Network {
    /// Reads the network for one chunk at a time.
    pub(crate) fn load(path: &Path) -> TractResult<Self> {
        let network = onnx().model_for_path(path)?;
        let network = network.with_input_fact(0, f32::fact([1, BEFORE + SAMPLES]).into())?;
        Ok(Self(network.into_optimized()?.into_runnable()?))
    }
}
