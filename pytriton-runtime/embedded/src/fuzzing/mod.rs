//! Entry points for the fuzz targets in `fuzz/`. Not public API.
//!
//! Each function passes bytes from a client, or from a file, to the decoder that the server uses.
//! It returns the error text if the decoder refuses them. Decoders of client input take a budget
//! and reserve memory from it in the same steps as the server.

mod documents;
mod models;

pub use documents::{configuration, openapi};
pub use models::{embeddings, every_datatype, texts};

pub use crate::grpc::fuzzing::{GrpcCall, GrpcMessage, GrpcServer};
pub use crate::http::fuzzing::{control, generate, infer, inflate, openai};
pub use crate::service::fuzzing::Decoded;
pub use pytriton_core::warmup::fuzzing::rows;
