use std::process::{ExitCode, Termination};

/// The return type of the `main` function that [`main!`](crate::main) generates.
#[derive(Debug)]
pub struct MainExit(pub ExitCode);

impl Termination for MainExit {
    fn report(self) -> ExitCode {
        self.0
    }
}

/// The type of the `main` function in the module of [`main!`](crate::main).
#[diagnostic::on_unimplemented(
    message = "`pytriton::main!();` is the `main` function: write it outside of any function, in place of `fn main`",
    label = "this is inside of a function"
)]
pub trait Main {}

#[diagnostic::do_not_recommend]
impl Main for MainExit {}

/// Checks that the module has the `main` function of [`main!`](crate::main).
pub const fn is_main<R: Main>(_: fn() -> R) {}

/// Generates the `main` function of a binary that serves its models.
///
/// The binary has a command line: `serve` (the default), `list`, `check`, `install`, `repository`,
/// `completions` and `man`. `--help` lists the options, and `docs/cli.md` explains them.
/// [`Cli`](crate::Cli) adds own arguments and hooks.
///
/// # Examples
///
/// ```no_run
/// # mod binary {
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", max_batch_size = 8)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// pytriton::main!();
/// # }
/// ```
#[macro_export]
macro_rules! main {
    () => {
        #[allow(dead_code, reason = "inside of a function it is an error already")]
        fn main() -> $crate::__private::MainExit {
            let cli = $crate::__private::Cli::new(
                match ::core::option_env!("CARGO_BIN_NAME") {
                    ::core::option::Option::Some(name) => name,
                    // In a test, which has no binary name.
                    ::core::option::Option::None => ::core::env!("CARGO_PKG_NAME"),
                },
                ::core::env!("CARGO_PKG_VERSION"),
            );
            $crate::__private::MainExit(cli.run())
        }

        const _: () = $crate::__private::is_main(self::main);
    };
    ($($arguments:tt)+) => {
        ::core::compile_error!(
            "`pytriton::main!()` takes no arguments: write `pytriton::main!();`"
        );

        fn main() {}
    };
}
