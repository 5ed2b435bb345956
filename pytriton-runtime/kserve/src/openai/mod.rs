//! Models on OpenAI routes. A request there becomes a request of the generate extension, and its
//! responses are converted back. Pure: no I/O, no tasks.
//!
//! A function with `#[openai(…)]` takes the members of a request as parameters ([`TextParameter`])
//! and returns pieces of text ([`Piece`]). Over the KServe protocol, it is an ordinary model.
//!
//! The texts of a request for embeddings ([`EmbeddingRequest`]) are rows of batches. Each request of
//! the generate extension has as many of them as a batch may have, and [`VectorFormat`] combines
//! the responses.

mod choice;
mod elements;
mod embeddings;
mod error;
mod finish_reason;
mod format;
mod into_piece;
mod list;
mod member_value;
mod message;
mod messages;
mod parameter;
mod piece;
mod request;
#[cfg(test)]
mod request_tests;
mod rows;
mod stops;
mod strings;
mod text_request;
mod usage;
mod vectors;

pub use choice::Choice;
pub use embeddings::{EmbeddingRequest, VectorEncoding};
pub use error::OpenAiError;
pub use finish_reason::FinishReason;
pub use format::{CompleteText, Format};
pub use into_piece::{IntoPiece, Text, TextReturnCheck};
pub use list::{list_json, model_json};
pub use message::{Message, MessageError, Role};
pub use messages::Messages;
pub use parameter::{Pieces, TextParameter, TextReader};
pub use piece::Piece;
pub use pytriton_core::registry::CLAIM;
pub use pytriton_core::registry::{Kind, Member};
pub use request::OpenAiRequest;
pub use text_request::{TextOptions, TextRequest};
pub use usage::Usage;
pub use vectors::VectorFormat;
