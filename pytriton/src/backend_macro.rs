/// Makes the models of a library crate a native Triton backend: a stock tritonserver runs them in its own process.
///
/// The crate's manifest names the library `triton_<backend>` and builds it twice, for tritonserver and for a binary:
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
/// The binary of the same package, `src/main.rs`, is `use triton_doubling as _;` and `pytriton::main!();`. It serves the
/// models as any other does. Its command `repository DIR --native` writes all that a tritonserver needs to run them
/// without it: `DIR/models` with their configuration and `DIR/backends` with the library.
#[cfg(all(
    feature = "tritonserver",
    target_os = "linux",
    target_pointer_width = "64"
))]
#[macro_export]
macro_rules! backend {
    () => {
        const _: () = ::core::assert!(
            $crate::__private::BackendLibrary::is_well_named(::core::module_path!()),
            "tritonserver looks for a library `triton_<backend>`: give the crate such a name, `[lib] name = \"triton_…\"`",
        );
        $crate::__private::inventory::submit! {
            $crate::__private::BackendLibrary {
                module: ::core::module_path!(),
                package: ::core::env!("CARGO_PKG_NAME"),
            }
        }
        $crate::__private::export_backend!($crate::__private::Native);
    };
}

/// Makes the models of a library crate a native Triton backend, with the feature `tritonserver` on 64-bit Linux.
#[cfg(not(all(
    feature = "tritonserver",
    target_os = "linux",
    target_pointer_width = "64"
)))]
#[macro_export]
macro_rules! backend {
    () => {
        ::core::compile_error!(
            "a native Triton backend needs the feature `tritonserver` of pytriton, and 64-bit Linux"
        );
    };
}
