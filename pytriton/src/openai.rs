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
//! # Request members
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
//! # Over the KServe protocol
//!
//! The model is also served over the KServe protocol, without a batch axis: `prompt` is `BYTES
//! [1]`, `messages` is `BYTES [-1]` with one message as JSON in each element, and the output is
//! `text`. The response parameters contain `finish_reason`, `prompt_tokens` and `completion_tokens`
//! if the function sets them.

pub use pytriton_runtime::model::Surface;
pub use pytriton_runtime::openai::{
    FinishReason, IntoPiece, Message, MessageError, Messages, Piece, Role, TextParameter, Usage,
};
