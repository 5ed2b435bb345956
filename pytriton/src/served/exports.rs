//! How the models of a library crate are exported to other programs.

#[cfg(doc)]
use super::*;

/// Turns the models of a library crate into a native Triton backend: a stock tritonserver runs them
/// in its own process.
///
/// The crate's manifest names the library `triton_<backend>` and builds it as two types, for
/// tritonserver and for a binary:
///
/// ```toml
/// [lib]
/// name = "triton_doubling"
/// crate-type = ["cdylib", "rlib"]
/// ```
///
/// ```
/// #![crate_name = "triton_doubling"]
/// use pytriton::prelude::*;
///
/// #[pytriton::model(name = "Double", max_batch_size = 8)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// pytriton::backend!();
/// # fn main() {}
/// ```
///
/// The binary of the same package, `src/main.rs`, contains `use triton_doubling as _;` and
/// `pytriton::main!();` and serves the models as usual. Its command `repository DIR --native`
/// writes everything that tritonserver needs: `DIR/models` with the model configurations and
/// `DIR/backends` with the library.
pub use pytriton_runtime::backend;

/// Turns the models of a library crate into a Python module for numpy arrays, with the name of the
/// library.
///
/// The crate's manifest builds a `cdylib`, and `maturin build` packages it as a wheel:
///
/// ```toml
/// [lib]
/// name = "doubling"
/// crate-type = ["cdylib"]
///
/// [dependencies]
/// pytriton = { path = "…", default-features = false, features = ["python"] }
/// ```
///
/// The library consists of models and `pytriton::python!();`, as in `examples/linear_python`.
///
/// In Python, `doubling.Double(x)` calls the function, and `doubling.serve(background=True)` serves
/// it. See `docs/python.md`.
///
/// `crate = my::pytriton` sets the path of this crate, as in `#[pytriton::model]`.
#[cfg(feature = "python")]
pub use pytriton_macros::python;
