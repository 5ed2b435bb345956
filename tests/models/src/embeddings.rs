//! Models with OpenAI routes whose requests are rows of batches.

use pytriton::prelude::*;

/// The vector of a text, and its number of tokens.
#[derive(pytriton::Outputs)]
struct Vectors {
    vectors: Array2<f32>,
    #[output(shape = [1])]
    prompt_tokens: Array2<i64>,
}

/// The vector of a text contains its length, its first byte, the number of rows of the call, and the
/// scale.
#[pytriton::model(name = "Vectors", max_batch_size = 8, max_batch_cost = 64)]
#[openai(embeddings)]
#[cost(texts)]
fn vectors(
    texts: Vec<String>,
    #[first_value] scale: Option<f32>,
) -> Result<Vectors, pytriton::Error> {
    if texts.iter().any(|text| text == "fail") {
        return Err(pytriton::Error::invalid_argument("as it was told"));
    }
    let rows = texts.len() as f32;
    let vectors = texts.iter().flat_map(|text| {
        let first = text.bytes().next().unwrap_or_default();
        [text.len() as f32, first.into(), rows, scale.unwrap_or(1.0)]
    });
    let vectors = Array1::from_iter(vectors);
    let tokens = texts.iter().map(|text| text.split_whitespace().count());
    let tokens = tokens.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let tokens = Array1::from_iter(tokens);
    Ok(Vectors {
        vectors: vectors.into_shape_with_order((texts.len(), 4))?,
        prompt_tokens: tokens.insert_axis(Axis(1)),
    })
}

/// Vectors that are not finite, without a number of tokens.
#[pytriton::model(name = "NotFinite")]
#[openai(embeddings)]
fn not_finite(texts: Vec<String>) -> Array2<f32> {
    Array2::from_elem((texts.len(), 1), f32::NAN)
}
