//! Not public API. Used by the types of models.

pub use pytriton_protocol::ndarray::{Array, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};
pub use pytriton_protocol::signature::{ModelSignature, TensorSignature};
pub use pytriton_protocol::tensor::{DataType, TensorError};
pub use pytriton_protocol::typed::{Many, Model, Once, Returned, Tensors};
pub use pytriton_protocol::typed::{bf16, f16};
