//! The OpenAI routes of a model.

#[cfg(doc)]
use super::*;

/// Also serves the model at OpenAI's routes: `#[openai(completions)]` at `/v1/completions`,
/// `#[openai(chat)]` at `/v1/chat/completions`.
///
/// Place it below [`macro@model`]. The function takes the `prompt` as a `String`, or the `messages`
/// as [`Messages`](crate::openai::Messages). It returns pieces of text: an iterator or stream of
/// `String` or [`Piece`](crate::openai::Piece), `&Responses<Piece>`, or a single one. See
/// [`openai`](mod@crate::openai).
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
pub use pytriton_macros::openai;
