//! The entry point of a program that serves models.

/// # Examples
///
/// ```standalone_crate
/// use pytriton::prelude::*;
/// use pytriton::Cli;
/// # use std::process::ExitCode;
///
/// #[pytriton::model(name = "Double")]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// /// The arguments of this program, in addition to those of pytriton.
/// #[derive(clap::Args)]
/// struct Args {
///     /// Where this server runs
///     #[arg(long, env = "ZONE", default_value = "here")]
///     zone: String,
/// }
///
/// fn main() -> ExitCode {
///     Cli::new("double", env!("CARGO_PKG_VERSION"))
///         .args::<Args>()
///         .on_start(|app| {
///             println!("{} in {}", app.addresses().http().unwrap(), app.args().zone);
///             Ok(())
///         })
///         .on_stop(|app| Ok(println!("goodbye from {}", app.args().zone)))
/// #       .arguments(["check", "--engine=embedded", "--http-port=0", "--grpc-port=0", "--metrics-port=0"])
///         .run()
/// }
/// ```
///
/// A binary passes `env!("CARGO_BIN_NAME")` as its name.
pub use pytriton_runtime::server::Cli;
