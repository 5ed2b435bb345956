//! Where somebody speaks in a stream of sound. Each stream is a sequence, whose state is what the network remembers of it.

mod network;

use std::error::Error;

use pytriton::prelude::*;
use tract_onnx::prelude::TractResult;

use network::{Listener, Network};

/// How probable it is that somebody speaks, by Silero VAD.
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

    /// `samples`: the next 32 ms of the stream at 16 kHz, each from -1 to 1.
    #[infer]
    #[output(name = "probability", shape = [1])]
    fn hear(
        &self,
        #[sequence] listener: &mut Listener,
        #[input(shape = [512])] samples: ArrayView2<f32>,
    ) -> TractResult<Array2<f32>> {
        let probability = listener.step(&self.network, samples.row(0))?;
        Ok(array![[probability]])
    }
}

pytriton::main!();
