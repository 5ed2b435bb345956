//! What may be there at once, and takes no memory to wait for then.

use futures_util::future::{BoxFuture, Either, Ready, ready};

/// A result that is there, or comes.
///
/// Whoever waits for one carries no more than the result, whatever those behind it have to keep meanwhile: the future of a
/// request is moved about before it is polled first.
pub(crate) type Soon<'a, T, E> = Either<Ready<Result<T, E>>, BoxFuture<'a, Result<T, E>>>;

/// It is there.
pub(crate) fn now<'a, T, E>(result: Result<T, E>) -> Soon<'a, T, E> {
    Either::Left(ready(result))
}

/// It comes.
pub(crate) fn later<'a, T, E>(
    result: impl Future<Output = Result<T, E>> + Send + 'a,
) -> Soon<'a, T, E> {
    Either::Right(Box::pin(result))
}
