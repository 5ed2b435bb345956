//! Models over OpenAI's routes, under [`#[openai(…)]`](macro@crate::openai).
//!
//! ```
//! use pytriton::openai::{FinishReason, Messages, Piece};
//! use pytriton::prelude::*;
//!
//! /// Says what was said last.
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
//! # What a request says
//!
//! A parameter of the function gets the member of its name: `max_tokens`, `temperature`, `top_p`, `seed`, `stop` and
//! whatever else a client sends. It is a value such as `String`, `i64`, `f32` or `bool`, or `Vec<String>`; an `Option` of one
//! is nothing where the client says nothing, and of any other one the client is told that it is missing. `max_tokens` and
//! `max_completion_tokens` are one, under whichever name the function takes it.
//!
//! Of what the function does not take
//!
//! - `stop` is the server's: it cuts the text there and ends the function;
//! - `temperature`, `top_p`, `presence_penalty`, `frequency_penalty`, `seed` and all that is not known here is passed over;
//! - a function that takes [`&Parameters`](crate::Parameters) finds all of that there, `stop` and `max_tokens` too: numbers, booleans and
//!   texts as they are, lists and objects as their JSON;
//! - what would make the answer another one is refused: `max_tokens`, `n` and `best_of` above 1, `logprobs`, `logit_bias`,
//!   `echo`, `suffix`, `tools`, `response_format` other than text, pictures and sounds.
//!
//! # Over the KServe protocol
//!
//! The same model is served there too, without a batch axis: `prompt` is `BYTES [1]`, `messages` is `BYTES [-1]` with a message
//! as JSON in each element, the output is `text`, and the parameters of each response say `finish_reason`, `prompt_tokens`
//! and `completion_tokens` where the function does.

pub use pytriton_runtime::model::Surface;
pub use pytriton_runtime::openai::{
    FinishReason, IntoPiece, Message, MessageError, Messages, Piece, Role, TextParameter, Usage,
};
