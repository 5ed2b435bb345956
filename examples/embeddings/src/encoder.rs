use std::error::Error;
use std::fs;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The value in `sentence_bert_config.json`, next to the weights.
const MOST_TOKENS: usize = 256;

/// A sentence encoder with the pipeline of sentence-transformers.
pub(crate) struct Encoder {
    tokenizer: Tokenizer,
    network: BertModel,
}

impl Encoder {
    /// Reads the network and its tokenizer from a sentence-transformers directory.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        // The file sets both to 128, which sentence-transformers ignores.
        tokenizer.with_padding(Some(PaddingParams::default()));
        tokenizer.with_truncation(Some(TruncationParams {
            max_length: MOST_TOKENS,
            ..TruncationParams::default()
        }))?;
        let config: Config = serde_json::from_slice(&fs::read(folder.join("config.json"))?)?;
        let weights = fs::read(folder.join("model.safetensors"))?;
        let weights = VarBuilder::from_slice_safetensors(&weights, DType::F32, &Device::Cpu)?;
        let network = BertModel::load(weights, &config)?;
        Ok(Self { tokenizer, network })
    }

    /// Returns the vectors one after another, and the number of tokens of each sentence.
    pub(crate) fn encode(&self, sentences: Vec<String>) -> Result<(Vec<f32>, Vec<i64>)> {
        let encodings = self.tokenizer.encode_batch_fast(sentences, true)?;
        let rows = |row: fn(&tokenizers::Encoding) -> &[u32]| {
            let rows = encodings
                .iter()
                .map(|encoding| Tensor::new(row(encoding), &Device::Cpu));
            Tensor::stack(&rows.collect::<candle_core::Result<Vec<_>>>()?, 0)
        };
        let tokens = rows(|encoding| encoding.get_ids())?;
        let mask = rows(|encoding| encoding.get_attention_mask())?;
        let words = self
            .network
            .forward(&tokens, &tokens.zeros_like()?, Some(&mask))?;
        // The vector of a sentence is the normalised sum of its word vectors, without padding.
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let sums = words.broadcast_mul(&mask)?.sum(1)?;
        let lengths = sums.sqr()?.sum_keepdim(1)?.sqrt()?;
        let vectors = sums.broadcast_div(&lengths)?;
        // The start and the end of a sentence are tokens, too, but not those of padding.
        let counts = encodings.iter().map(|encoding| {
            let tokens = encoding.get_attention_mask().iter().copied();
            i64::from(tokens.sum::<u32>())
        });
        Ok((vectors.flatten_all()?.to_vec1()?, counts.collect()))
    }
}
