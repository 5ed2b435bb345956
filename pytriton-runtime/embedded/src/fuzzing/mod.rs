//! Entry points for the fuzz targets in `fuzz/`. Not public API.
//!
//! Each function passes bytes from a client, or from a file, to the decoder that the server uses.
//! It returns the error text if the decoder refuses them. Decoders of client input take a budget
//! and reserve memory from it in the same steps as the server.

mod documents;
mod models;

use pytriton_core::request::{Request, Response};

pub use documents::{configuration, openapi};
pub use models::{every_datatype, texts};

pub use crate::grpc::fuzzing::{GrpcCall, GrpcMessage, GrpcServer};
pub use crate::http::fuzzing::{control, generate, infer, inflate, openai};
pub use pytriton_core::warmup::fuzzing::rows;

/// The result of a decoder, or the text of its error.
pub type Decoded<T> = Result<T, String>;

/// The response whose outputs are the inputs of their names.
pub(crate) fn echo(request: &Request) -> Response {
    let inputs = request.inputs().iter().enumerate();
    let inputs = inputs.filter(|(index, _)| request.asks_for(*index));
    let outputs = inputs.filter_map(|(index, input)| Some((index, input.clone()?)));
    Response::new(outputs.collect())
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes values")]
pub(crate) fn text(error: impl ToString) -> String {
    error.to_string()
}
