//! Helpers for the fuzzing entry points of both protocols.

use pytriton_core::request::{Request, Response};

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
