//! Not public API. Used by the code of typed clients.

pub use pytriton_client::ndarray::{Array, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};
pub use pytriton_client::typed::{Many, Model, Once, Returned, Tensors};
pub use pytriton_client::typed::{bf16, f16};
pub use pytriton_client::{DataType, ModelSignature, TensorError, TensorSignature};
