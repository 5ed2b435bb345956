/// Implements `pytriton::backend!()`.
#[cfg(tritonserver)]
#[macro_export]
macro_rules! backend {
    () => {
        const _: () = ::core::assert!(
            $crate::triton::BackendLibrary::is_well_named(::core::module_path!()),
            "tritonserver looks for a library `triton_<backend>`: give the crate such a name, `[lib] name = \"triton_…\"`",
        );
        $crate::inventory::submit! {
            $crate::triton::BackendLibrary {
                module: ::core::module_path!(),
                package: ::core::env!("CARGO_PKG_NAME"),
            }
        }
        $crate::native::export!($crate::native::Native);
    };
}

/// Implements `pytriton::backend!()` without the tritonserver engine: a compile error.
#[cfg(not(tritonserver))]
#[macro_export]
macro_rules! backend {
    () => {
        ::core::compile_error!(
            "a native Triton backend requires pytriton's feature `tritonserver` and a target with Linux on x86_64 or aarch64"
        );
    };
}
