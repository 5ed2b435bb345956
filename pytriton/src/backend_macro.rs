/// Exports the models of a `cdylib` as a native Triton backend: a stock tritonserver runs them in its own process.
///
/// The library must be called `triton_<backend>` in its manifest, so that tritonserver finds it as
/// `<backend>/libtriton_<backend>.so` in its backend directory; the models' configuration names the backend.
///
/// # Examples
///
/// ```
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
#[macro_export]
macro_rules! backend {
    () => {
        $crate::__private::export_backend!($crate::__private::Native);
    };
}
