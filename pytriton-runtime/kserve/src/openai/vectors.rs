use std::num::NonZeroUsize;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::{DIMENSIONS, PROMPT_TOKENS};
use pytriton_core::request::Response;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_protocol::tensor::DataType;

use crate::json::JsonWriter;

use super::member_value::invalid;
use super::{OpenAiError, VectorEncoding};

/// The bytes that are encoded at once: a multiple of 3, so that only the last ones are padded.
const BASE64_BYTES: usize = 192;
const BASE64_TEXT: usize = BASE64_BYTES / 3 * 4;

/// Encodes the vectors of texts.
#[derive(Debug, Clone)]
pub struct VectorFormat {
    /// The model.
    pub spec: Arc<ModelSpec>,
    /// The encoding of the vectors.
    pub encoding: VectorEncoding,
    /// The length to which vectors are shortened, if any. They are scaled to length one then.
    pub dimensions: Option<NonZeroUsize>,
}

impl VectorFormat {
    /// Writes the complete response, with the vectors in the order of `responses`.
    ///
    /// # Errors
    ///
    /// Returns [`OpenAiError::Invalid`] if a vector is shorter than requested, or
    /// [`OpenAiError::NoVectors`] if an output is not vectors of finite numbers.
    pub fn write(&self, json: &mut JsonWriter, responses: &[Response]) -> Result<(), OpenAiError> {
        let mut index = 0_usize;
        json.begin(b'{');
        json.name("object").text("list");
        json.name("data").begin(b'[');
        for response in responses {
            let tensor = response.outputs.iter().next().map(|(_, tensor)| tensor);
            let tensor = tensor.ok_or_else(|| self.no_vectors())?;
            for vector in self.vectors(tensor)? {
                let (vector, scale) = self.shortened(vector)?;
                json.begin(b'{');
                json.name("object").text("embedding");
                json.name("index").integer(index);
                json.name("embedding");
                match self.encoding {
                    VectorEncoding::Float => {
                        json.array(vector, |json, bytes| json.float(scaled(bytes, scale)));
                    }
                    VectorEncoding::Base64 => base64(json, vector, scale),
                }
                json.end(b'}');
                index += 1;
            }
        }
        json.end(b']');
        json.name("model").text(&self.spec.name);
        let tokens = prompt_tokens(&self.spec, responses);
        json.name("usage").object(|json| {
            json.name("prompt_tokens").integer(tokens);
            json.name("total_tokens").integer(tokens);
        });
        json.end(b'}');
        Ok(())
    }

    /// Returns the rows of an output, as the bytes of each number.
    fn vectors<'t>(
        &self,
        tensor: &'t TrackedTensor,
    ) -> Result<impl Iterator<Item = &'t [[u8; 4]]> + use<'t>, OpenAiError> {
        let (numbers, []) = tensor.data().as_chunks::<4>() else {
            return Err(self.no_vectors());
        };
        let is_finite = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes).is_finite();
        match tensor.shape() {
            [_, length] if *length > 0 && tensor.datatype() == DataType::Fp32 => {
                match numbers.iter().all(is_finite) {
                    true => Ok(numbers.chunks_exact(*length)),
                    false => Err(self.no_vectors()),
                }
            }
            _ => Err(self.no_vectors()),
        }
    }

    /// Returns the first numbers of a vector, and the factor by which they have length one, if it is
    /// shortened.
    fn shortened<'v>(&self, vector: &'v [[u8; 4]]) -> Result<(&'v [[u8; 4]], f32), OpenAiError> {
        let Some(dimensions) = self.dimensions.map(NonZeroUsize::get) else {
            return Ok((vector, 1.0));
        };
        let Some(first) = vector.get(..dimensions) else {
            let what = format!("the vectors of this model have {} numbers", vector.len());
            return Err(invalid(DIMENSIONS, what));
        };
        if first.len() == vector.len() {
            return Ok((vector, 1.0));
        }
        let squares = first
            .iter()
            .map(|bytes| f64::from(f32::from_le_bytes(*bytes)).powi(2));
        let length = squares.sum::<f64>().sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the numbers have this precision"
        )]
        let scale = length.recip() as f32;
        Ok((first, if scale.is_finite() { scale } else { 1.0 }))
    }

    fn no_vectors(&self) -> OpenAiError {
        let model = Arc::clone(&self.spec.name);
        OpenAiError::NoVectors { model }
    }
}

fn scaled(bytes: &[u8; 4], scale: f32) -> f32 {
    f32::from_le_bytes(*bytes) * scale
}

fn base64(json: &mut JsonWriter, vector: &[[u8; 4]], scale: f32) {
    json.written(b"\"");
    let (mut bytes, mut text) = ([0; BASE64_BYTES], [0; BASE64_TEXT]);
    for numbers in vector.chunks(BASE64_BYTES / size_of::<f32>()) {
        let (places, _) = bytes.as_chunks_mut::<4>();
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = scaled(number, scale).to_le_bytes();
        }
        let encoded = STANDARD.encode_slice(&bytes[..size_of_val(numbers)], &mut text);
        // The text has space for all bytes.
        json.raw(&text[..encoded.unwrap_or_default()]);
    }
    json.raw(b"\"");
}

/// Returns the number of tokens of all texts; zero if the model does not count them.
fn prompt_tokens(spec: &ModelSpec, responses: &[Response]) -> i64 {
    let Some(output) = spec.output_index(PROMPT_TOKENS) else {
        return 0;
    };
    let counts = responses.iter().flat_map(|response| &response.outputs);
    let counts = counts.filter(|(index, _)| *index == output);
    let counts = counts.flat_map(|(_, tensor)| tensor.data().as_chunks::<8>().0);
    let counts = counts.map(|bytes| i64::from_le_bytes(*bytes));
    counts.fold(0, i64::saturating_add)
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
