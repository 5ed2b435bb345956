//! Detects speech in a stream of audio. Each stream is a sequence, and its state is the state of
//! the network.

mod network;

use std::error::Error;

use pytriton::prelude::*;
use tract_onnx::prelude::TractResult;

use network::{Listener, Network};

/// The probability of speech, from Silero VAD.
struct Speech {
    network: Network,
}

#[pytriton::model(
    name = "Speech",
    sequence_batching = oldest,
    max_candidate_sequences = 64,
    max_sequence_idle_microseconds = 10_000_000
)]
impl Speech {
    #[load]
    fn load() -> Result<Self, Box<dyn Error>> {
        let folder = weights::SILERO_VAD.folder()?;
        let path = folder.join("silero_vad/data/silero_vad_16k_sequence.onnx");
        let network = Network::load(&path)?;
        Ok(Self { network })
    }

    #[sequence]
    fn start() -> TractResult<Listener> {
        Listener::new()
    }

    /// `samples`: the next 32 ms of the stream at 16 kHz, each sample from -1 to 1.
    #[infer]
    #[output(name = "probability", shape = [1])]
    fn detect(
        &self,
        #[sequence] listener: &mut Listener,
        #[input(shape = [512])] samples: ArrayView2<f32>,
    ) -> TractResult<Array2<f32>> {
        let probability = listener.step(&self.network, samples.row(0))?;
        Ok(array![[probability]])
    }
}

pytriton::main!();
