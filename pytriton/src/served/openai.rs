//! The OpenAI routes of a model.

#[cfg(doc)]
use super::*;

/// Also serves the model at one of OpenAI's routes. Place it below [`macro@model`].
///
/// | | route | the function takes | and returns |
/// | --- | --- | --- | --- |
/// | `#[openai(completions)]` | `/v1/completions` | `prompt: String` | text |
/// | `#[openai(chat)]` | `/v1/chat/completions` | `messages:` [`Messages`](crate::openai::Messages) | text |
/// | `#[openai(embeddings)]` | `/v1/embeddings` | `texts: Vec<String>` | `Array2<f32>`, a vector for each text |
///
/// Text is an iterator or stream of `String` or [`Piece`](crate::openai::Piece),
/// `&Responses<Piece>`, or a single one. See [`openai`](mod@crate::openai).
///
/// ```
/// use pytriton::prelude::*;
///
/// /// Repeats the words of the prompt.
/// #[pytriton::model(name = "again")]
/// #[openai(completions)]
/// fn again(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = String> {
///     let most = max_tokens.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
///     let words: Vec<String> = prompt.split_inclusive(' ').map(str::to_owned).collect();
///     words.into_iter().take(most)
/// }
/// ```
///
/// A function with `#[openai(embeddings)]` processes batches, as with [`macro@batch`], and supports
/// the other decorators of batches.
///
/// ```
/// use pytriton::prelude::*;
///
/// /// The number of vowels and of other letters.
/// #[pytriton::model(name = "letters", max_batch_size = 32, max_batch_cost = 4096)]
/// #[openai(embeddings)]
/// #[cost(texts)]
/// fn letters(texts: Vec<String>) -> Array2<f32> {
///     Array2::from_shape_fn((texts.len(), 2), |(row, column)| {
///         let letters = texts[row].chars().filter(|letter| letter.is_alphabetic());
///         letters.filter(|letter| "aeiou".contains(*letter) == (column == 0)).count() as f32
///     })
/// }
/// ```
pub use pytriton_macros::openai;
