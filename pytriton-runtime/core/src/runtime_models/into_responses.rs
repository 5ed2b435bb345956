use futures_util::Stream;

use crate::call::{
    Call, Execution, IntoOutputs, ModelError, ResponseParts, Returned, closed, executed, flow,
    iterate, model_error, stream_of,
};
use crate::error::Error;

use super::unit::{Each, Whole};

/// The return value of a function, in `Ok(…)`.
///
/// | Type | Responses |
/// | --- | --- |
/// | [`IntoOutputs`]: an array, a tuple, `Named` and others | one for each request |
/// | an iterator of `Result<O, Error>`, where `O` is an `IntoOutputs` | one for each item |
/// | a stream of `Result<O, Error>` | one for each item; other batches in flight run while it waits |
/// | `()` | those that the function sends with [`FunctionCall::responses`](super::FunctionCall) |
///
/// A [`Raw`](super::Raw) function returns a `Vec<Result<O, Error>>` with one entry for each request,
/// or `()`.
///
/// An iterator or stream is executed after the function has returned, so it owns what it needs. To
/// use the state of the function for each response, send the responses and return `()`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the responses of a function",
    label = "the function does not return responses",
    note = "return `Ok(…)` of an owned array such as `Array2<f32>`, a tuple of arrays, `Named` outputs or a `Vec<Tensor>`",
    note = "to stream responses, return an iterator or a stream of `Result<_, Error>` that borrows nothing, or `()` after `call.responses()`",
    note = "a `Raw` function returns a `Vec<Result<_, Error>>` with one entry for each request"
)]
pub trait IntoResponses<U, V>: Sized + 'static {
    /// Whether there may be any number of responses.
    #[doc(hidden)]
    const DECOUPLED: bool = true;
    /// Whether the responses may be awaited.
    #[doc(hidden)]
    const WAITS: bool = false;
    /// Whether the function sends its responses itself.
    #[doc(hidden)]
    const SENDS: bool = false;

    /// Responds to the requests of a call. `waits` if the function is `async`.
    #[doc(hidden)]
    fn respond<'a>(
        result: Result<Self, ModelError>,
        call: &'a Call<'a>,
        waits: bool,
    ) -> Execution<'a>;
}

/// One response.
#[derive(Debug)]
pub struct Once;
/// The items of an iterator.
#[derive(Debug)]
pub struct Iterated;
/// The items of a stream.
#[derive(Debug)]
pub struct Streamed;
/// The responses that the function sends.
#[derive(Debug)]
pub struct Sent;

#[diagnostic::do_not_recommend]
impl<O: IntoOutputs + 'static> IntoResponses<Whole, Once> for O {
    const DECOUPLED: bool = false;

    fn respond<'a>(result: Result<Self, ModelError>, call: &'a Call<'a>, _: bool) -> Execution<'a> {
        let parts = result.and_then(|outputs| outputs.into_parts(call.output_writer()));
        executed(parts.map(Returned::Call))
    }
}

#[diagnostic::do_not_recommend]
impl<O: IntoOutputs + 'static> IntoResponses<Each, Once> for Vec<Result<O, Error>> {
    const DECOUPLED: bool = false;

    fn respond<'a>(result: Result<Self, ModelError>, call: &'a Call<'a>, _: bool) -> Execution<'a> {
        let each = result.map(|entries| {
            let entries = entries.into_iter();
            entries.map(|entry| response_parts(call, entry)).collect()
        });
        executed(each.map(Returned::Each))
    }
}

#[diagnostic::do_not_recommend]
impl<I, O> IntoResponses<Whole, Iterated> for I
where
    I: Iterator<Item = Result<O, Error>> + 'static,
    O: IntoOutputs + 'static,
{
    fn respond<'a>(
        result: Result<Self, ModelError>,
        call: &'a Call<'a>,
        waits: bool,
    ) -> Execution<'a> {
        let items = match result {
            Ok(items) => items,
            Err(error) => return executed(Err(error)),
        };
        match waits {
            true => Box::pin(flow(call, stream_of(items), |item| one(call, item))),
            false => executed(iterate(call, items, |item| one(call, item))),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<S, O> IntoResponses<Whole, Streamed> for S
where
    S: Stream<Item = Result<O, Error>> + 'static,
    O: IntoOutputs + 'static,
{
    const WAITS: bool = true;

    fn respond<'a>(result: Result<Self, ModelError>, call: &'a Call<'a>, _: bool) -> Execution<'a> {
        match result {
            Ok(items) => Box::pin(flow(call, items, |item| one(call, item))),
            Err(error) => executed(Err(error)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<U> IntoResponses<U, Sent> for () {
    const WAITS: bool = true;
    const SENDS: bool = true;

    fn respond<'a>(result: Result<Self, ModelError>, call: &'a Call<'a>, _: bool) -> Execution<'a> {
        Box::pin(closed(call, result))
    }
}

/// Converts the return value of a function, which has been called.
pub(super) fn returned<A>(call: &Call<'_>, result: Result<A, Error>) -> Result<A, ModelError> {
    call.note_called();
    result.map_err(|error| model_error(call.context().model(), error))
}

/// Converts one item for all requests of the call.
fn one(call: &Call<'_>, item: Result<impl IntoOutputs, Error>) -> Result<Returned, ModelError> {
    response_parts(call, item).map(Returned::Call)
}

fn response_parts(
    call: &Call<'_>,
    item: Result<impl IntoOutputs, Error>,
) -> Result<ResponseParts, ModelError> {
    let item = item.map_err(|error| model_error(call.context().model(), error))?;
    item.into_parts(call.output_writer())
}
