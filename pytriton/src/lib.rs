//! Annotate a function, run the binary, and it is served over the KServe v2 / Triton HTTP and gRPC protocol.
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
//! What is served stands in the function's signature: see [`macro@model`].
//!
//! A model that is known at run time only is a [`Model`] and a [`Function`], and [`Triton`] is the server as a value: it is bound,
//! run and stopped by the program.
//!
//! ```
//! use pytriton::prelude::*;
//! use pytriton::ndarray::Ix2;
//! use pytriton::{EngineChoice, Function, Input, Model, Output, Triton};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let triton = Triton::builder().engine(EngineChoice::Embedded).free_ports().build()?;
//! let scale = Model::new("Scale")
//!     .max_batch_size(16)
//!     .input(Input::new::<f32>("x", [-1]))
//!     .input(Input::new::<f32>("by", [1]).first_value())
//!     .output(Output::new::<f32>("y", [-1]));
//! let function = Function::batch(|inputs| {
//!     let x = inputs.array::<f32, Ix2>("x")?;
//!     Ok(&x * inputs.scalar::<f32>("by")?)
//! });
//! triton.bind(scale, function)?;
//! println!("{:?}", triton.run()?.http);
//! triton.stop()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! The first two are on by default, and at least one of the three must be.
//!
//! - `embedded`: the engine in the process itself, with the servers for HTTP and gRPC.
//! - `tritonserver`: the engine with NVIDIA's server, and [`backend!`]. It is built on Linux on x86_64 and aarch64;
//!   elsewhere the feature changes nothing, and the binary says so when it is asked for that engine.
//! - `otel`: spans of requests to a collector, by `--traces-exporter otlp`.
//! - `client`: clients for served models, as `pytriton::client`; alone, nothing of a server is built.
//! - `python`: the models of a library as a Python module, by `python!`.

#[cfg(not(any(feature = "embedded", feature = "tritonserver", feature = "client")))]
compile_error!(
    "pytriton has no engine: give it the feature `embedded`, the feature `tritonserver`, or both, as it has them without \
     `default-features = false`, or the feature `client` alone"
);

#[cfg(any(feature = "embedded", feature = "tritonserver"))]
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(all(doc, feature = "embedded", feature = "client"))]
pub mod guide;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
mod main_macro;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod openai;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub mod prelude;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
mod served;
#[cfg(feature = "embedded")]
pub mod testing;

#[cfg(feature = "client")]
#[doc(hidden)]
#[path = "typed.rs"]
pub mod __typed;
#[cfg(feature = "client")]
pub use pytriton_client as client;
/// The models of a file as types, for [typed clients](client::Typed), in a crate that has only the file.
///
/// `<binary> list --format json > models.lock` writes the file; its path is relative to the crate's `Cargo.toml`. Each model is a
/// type whose name is the model's with its words in capitals: `add_sub` is `AddSub`. Where that is no name, or another
/// model's, it is given: `pytriton::client!("models.lock", "2nd-model" = Second);`. Of a model with several versions it is the
/// latest. The types are made anew when the file changes.
///
/// Arrays have the dimensions that the file says, and the batch axis before them; an input that has one value for all rows is
/// that value. Elements of `BYTES` are `Vec<u8>`, for which texts can be given too. Several outputs are a tuple. A
/// model with more than 16 inputs or outputs, or with arrays of more than 6 dimensions, is left out.
///
/// `crate = my::pytriton` says where this crate is, as in `#[pytriton::model]`.
#[cfg(feature = "client")]
pub use pytriton_macros::client;
#[cfg(any(feature = "embedded", feature = "tritonserver"))]
pub use served::*;
