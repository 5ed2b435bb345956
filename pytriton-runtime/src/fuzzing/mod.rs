//! Entry points for the fuzz targets in `fuzz/`. Not public API.
//!
//! Each function passes bytes from a client, or from a file, to the decoder that the server uses.
//! It returns the error text if the decoder refuses them.

mod codecs;
mod documents;
mod models;

pub use codecs::{control, generate, infer, infer_message, openai, respond};
pub use documents::{configuration, openapi};
pub use models::{every_datatype, texts};

pub use crate::http::fuzzing::inflate;
pub use crate::server::settings::fuzzing::options;
pub use crate::warmup::fuzzing::rows;

/// The result of a decoder, or the text of its error.
pub type Decoded<T> = Result<T, String>;
