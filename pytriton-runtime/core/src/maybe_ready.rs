//! Results that may be immediately available, in which case waiting for them needs no memory.

use futures_util::future::{BoxFuture, Either, Ready, ready};

/// A result that is available now or later.
///
/// A caller that awaits it stores only the result, whatever the computation behind it stores. This
/// matters because the future of a request is moved before it is first polled.
pub type MaybeReady<'a, T, E> = Either<Ready<Result<T, E>>, BoxFuture<'a, Result<T, E>>>;

/// Creates a result that is available now.
pub fn now<'a, T, E>(result: Result<T, E>) -> MaybeReady<'a, T, E> {
    Either::Left(ready(result))
}

/// Creates a result that is computed later.
pub fn later<'a, T, E>(
    result: impl Future<Output = Result<T, E>> + Send + 'a,
) -> MaybeReady<'a, T, E> {
    Either::Right(Box::pin(result))
}
