//! Models for OpenAI's routes, declared with [`#[openai(…)]`](macro@crate::openai).
//!
//! ```
//! use pytriton::openai::{FinishReason, Messages, Piece};
//! use pytriton::prelude::*;
//!
//! /// Repeats the last message.
//! #[pytriton::model(name = "echo")]
//! #[openai(chat)]
//! fn echo(messages: Messages, max_tokens: Option<u32>) -> impl Iterator<Item = Piece> {
//!     let last = messages.last().map(|message| message.content.clone()).unwrap_or_default();
//!     let words: Vec<Piece> = last.split_inclusive(' ').map(Piece::from).collect();
//!     let most = max_tokens.map_or(words.len(), |most| most as usize);
//!     let reason = if most < words.len() { FinishReason::Length } else { FinishReason::Stop };
//!     let last = Piece::default().finished(reason);
//!     words.into_iter().take(most).chain([last])
//! }
//! ```
//!
//! # Text
//!
//! A parameter of the function receives the member of its name: `max_tokens`, `temperature`,
//! `top_p`, `seed`, `stop` or any other member that a client sends. Its type is a value such as
//! `String`, `i64`, `f32` or `bool`, or `Vec<String>`. An `Option` is `None` if the member is
//! missing; a missing member without `Option` is an error. `max_tokens` and `max_completion_tokens`
//! are aliases.
//!
//! Members that the function does not take:
//!
//! - `stop` is handled by the server: it cuts the text and ends the function;
//! - `temperature`, `top_p`, `presence_penalty`, `frequency_penalty`, `seed` and unknown members
//!   are ignored;
//! - a function that takes [`&Parameters`](crate::Parameters) finds all of them there, including
//!   `stop` and `max_tokens`: numbers, booleans and strings as such, lists and objects as JSON
//!   text;
//! - members that would change the response are refused: `max_tokens`, `n` and `best_of` above 1,
//!   `logprobs`, `logit_bias`, `echo`, `suffix`, `tools`, `response_format` other than text, images
//!   and audio.
//!
//! # Embeddings
//!
//! The first input of the function is one text per row: `Vec<String>`, or another `BYTES` input of
//! the shape `[1]`. The first output is one `f32` vector per text.
//!
//! ```
//! use pytriton::prelude::*;
//!
//! #[derive(pytriton::Outputs)]
//! struct Embeddings {
//!     vectors: Array2<f32>,
//!     #[output(shape = [1])]
//!     prompt_tokens: Array2<i64>,
//! }
//!
//! /// The number of bytes and of words of each text.
//! #[pytriton::model(name = "counts", max_batch_size = 32)]
//! #[openai(embeddings)]
//! fn counts(texts: Vec<String>, #[first_value] scale: Option<f32>) -> Embeddings {
//!     let words = |row: usize| texts[row].split_whitespace().count();
//!     let scale = scale.unwrap_or(1.0);
//!     Embeddings {
//!         vectors: Array2::from_shape_fn((texts.len(), 2), |(row, column)| {
//!             scale * if column == 0 { texts[row].len() } else { words(row) } as f32
//!         }),
//!         prompt_tokens: Array2::from_shape_fn((texts.len(), 1), |(row, _)| words(row) as i64),
//!     }
//! }
//! ```
//!
//! - Each text of a request is a row. Rows of several requests share a call, up to `max_batch_size`
//!   and `max_batch_cost`. A request with more texts is divided into several batches. If one of
//!   them fails, the request fails with its error.
//! - Every other input receives the request member of the same name, such as `task`. All texts of
//!   the request share it.
//! - `encoding_format` is `float` or `base64`.
//! - `dimensions` shortens the vectors to their first numbers, and scales them to length one. The
//!   model must be trained for this. It is an error if the vectors are shorter.
//! - `input` must be text: arrays of token IDs are refused with 400. A request has at most 2048
//!   texts.
//! - `usage` is the sum of the output `prompt_tokens`, or 0 without this output.
//! - A function that takes [`&Parameters`](crate::Parameters) finds all other members there. Only
//!   requests with equal parameters share a call. Without it, other members are ignored.
//!
//! # Over the KServe protocol
//!
//! A model for embeddings is a model with a batch axis like any other.
//!
//! A model that generates text is served without a batch axis: `prompt` is `BYTES [1]`, `messages`
//! is `BYTES [-1]` with one message as JSON in each element, and the output is `text`. The response
//! parameters contain `finish_reason`, `prompt_tokens` and `completion_tokens` if the function sets
//! them.

pub use pytriton_runtime::model::Surface;
pub use pytriton_runtime::openai::{
    FinishReason, IntoPiece, Message, MessageError, Messages, Piece, Role, TextParameter, Usage,
};
