/// A type whose values functions can share as `&Arc<T>`.
#[diagnostic::on_unimplemented(
    message = "functions on several threads share `{Self}`, which is not `Send` and `Sync`",
    label = "cannot be shared",
    note = "put its mutable parts in a `Mutex` or an atomic, or create it in `#[load]`, once for each instance"
)]
pub trait SharedState: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> SharedState for T {}
