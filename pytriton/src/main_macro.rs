/// The `main` function of a binary that serves its models: a command line with `serve` (the default), `list`, `check`,
/// `--help` and `--version`.
///
/// # Examples
///
/// ```no_run
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", max_batch_size = 8)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// pytriton::main!();
/// ```
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::__private::run(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            )
        }
    };
}
