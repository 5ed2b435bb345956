//! Models on OpenAI routes. A request there becomes a request of the generate extension, and its
//! responses are converted back. Pure: no I/O, no tasks.
//!
//! A function with `#[openai(…)]` takes the members of a request as parameters ([`TextParameter`])
//! and returns pieces of text ([`Piece`]). Over the KServe protocol, it is an ordinary model.

#[cfg(feature = "embedded")]
mod choice;
mod elements;
#[cfg(feature = "embedded")]
mod error;
mod finish_reason;
#[cfg(feature = "embedded")]
mod format;
mod into_piece;
#[cfg(feature = "embedded")]
mod list;
#[cfg(feature = "embedded")]
mod member_value;
mod message;
mod messages;
mod parameter;
mod piece;
#[cfg(feature = "embedded")]
mod request;
#[cfg(test)]
#[cfg(feature = "embedded")]
mod request_tests;
#[cfg(feature = "embedded")]
mod stops;
mod usage;

#[cfg(feature = "embedded")]
pub(crate) use choice::Choice;
#[cfg(feature = "embedded")]
pub use error::OpenAiError;
pub use finish_reason::FinishReason;
#[cfg(feature = "embedded")]
pub(crate) use format::{Format, Whole};
pub use into_piece::{IntoPiece, Text, TextReturnCheck};
#[cfg(feature = "embedded")]
pub(crate) use list::{list_json, model_json};
pub use message::{Message, MessageError, Role};
pub use messages::Messages;
pub use parameter::{Pieces, TextParameter, TextReader};
pub use piece::Piece;
#[cfg(tritonserver)]
pub(crate) use pytriton_core::registry::CLAIM;
pub use pytriton_core::registry::{Kind, Member};
#[cfg(feature = "embedded")]
pub(crate) use request::{OpenAiRequest, TextRequest};
pub use usage::Usage;
