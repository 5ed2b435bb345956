//! Annotate a function and run the binary: the function is served over the KServe v2 / Triton
//! protocol, with HTTP and gRPC.
//!
//! ```no_run
//! # mod binary {
//! use pytriton::prelude::*;
//!
//! #[pytriton::model(name = "Linear", max_batch_size = 16)]
//! #[batch]
//! fn linear(x: ArrayView2<f32>, #[first_value] scale: f32) -> Array2<f32> {
//!     &x * scale
//! }
//!
//! pytriton::main!();
//! # }
//! ```
//!
//! The function's signature defines the model: see [`macro@model`]. The module `guide` explains
//! each topic with examples, from a first model to production.
//!
//! [`runtime_models`] defines models at run time, and [`Triton`] is the server as a value, which
//! the program starts and stops.
//!
//! ```
//! use pytriton::Triton;
//! use pytriton::ndarray::Ix2;
//! use pytriton::options::EngineChoice;
//! use pytriton::prelude::*;
//! use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let triton = Triton::builder().engine(EngineChoice::Embedded).free_ports().build()?;
//! let scale = Model::new("Scale")
//!     .max_batch_size(16)
//!     .input(Input::new::<f32>("x", [-1]))
//!     .input(Input::new::<f32>("by", [1]).first_value())
//!     .output(Output::new::<f32>("y", [-1]));
//! let function = Function::new(PerBatch, |call| {
//!     let x = call.array::<f32, Ix2>("x")?;
//!     Ok(&x * call.scalar::<f32>("by")?)
//! });
//! triton.bind(scale, function)?;
//! println!("{:?}", triton.run()?.http());
//! triton.stop()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! The root and the [`prelude`] contain the names that most files with models need. The others are
//! in modules: [`runtime_models`], [`decorators`] and [`config`] for models, [`server`] and
//! [`options`] for programs, [`error`], [`calls`], [`elements`], [`signature`](mod@signature),
//! [`openai`](mod@openai) and `testing`.
//!
//! # Features
//!
//! The first two are enabled by default. At least one of `embedded`, `tritonserver` and `client` is
//! required.
//!
//! - `embedded`: the embedded engine with its HTTP and gRPC servers.
//! - `tritonserver`: the engine with NVIDIA's server, and [`backend!`]. Supported on Linux on
//!   x86_64 and aarch64. On other targets the feature has no effect, and selecting the engine is an
//!   error.
//! - `otel`: exports spans, with `--traces-exporter otlp`.
//! - `client`: clients for served models, as `pytriton::client`; alone, it builds no server code.
//! - `onnx`: models from ONNX files, with the attribute `onnx` and the crate `pytriton-onnx`.
//! - `python`: Python modules, with `python!`.
//! - `test-util`: a clock that tests pause, for [`#[pytriton::test]`](macro@test).

#[cfg(not(any(feature = "embedded", feature = "tritonserver", feature = "client")))]
compile_error!(
    "pytriton has no engine: enable the feature `embedded`, the feature `tritonserver`, or both (both \
     are default features), or only the feature `client`"
);

#[cfg(any(feature = "embedded", feature = "tritonserver"))]
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod calls;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod config;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod decorators;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod error;
#[cfg(all(doc, feature = "embedded", feature = "client"))]
pub mod guide;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
mod main_macro;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod openai;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod options;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod prelude;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod runtime_models;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
mod served;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod server;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod signature;
#[cfg(feature = "embedded")]
pub mod testing;

#[doc(hidden)]
#[path = "typed.rs"]
pub mod __typed;
pub mod elements;
#[cfg(feature = "client")]
pub use pytriton_client as client;
// A server re-exports the same crate.
/// Generates types for the models of a signature file, for [typed clients](client::Typed).
///
/// `<binary> list --format json > models.lock` writes the file; its path is relative to the crate's
/// `Cargo.toml`. Each model becomes a type with its name in camel case: `add_sub` becomes `AddSub`.
/// Set another name with `pytriton::client!("models.lock", "2nd-model" = Second);`. If a model has
/// several versions, the type describes the latest. Cargo rebuilds the types when the file changes.
///
/// Arrays have the dimensions in the file, preceded by the batch axis. An input with one value for
/// all rows is a single value. Elements of `BYTES` are `Vec<u8>`; arguments may be arrays of
/// strings. Several outputs are a tuple. Models with more than 16 inputs or outputs, or with arrays
/// of more than 6 dimensions, are omitted.
///
/// `crate = my::pytriton` sets the path of this crate, as in `#[pytriton::model]`.
#[cfg(feature = "client")]
pub use pytriton_macros::client;
#[cfg(not(any(feature = "embedded", feature = "tritonserver")))]
pub use pytriton_protocol::ndarray;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub use served::*;
