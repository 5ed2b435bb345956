//! The imports that a file with models needs: `use pytriton::prelude::*;`.

pub use pytriton_runtime::half::{bf16, f16};
pub use pytriton_runtime::ndarray::{
    Array, Array1, Array2, Array3, Array4, Array5, Array6, ArrayD, ArrayView, ArrayView1,
    ArrayView2, ArrayView3, ArrayView4, ArrayView5, ArrayView6, ArrayViewD, Axis, Ix1, Ix2, Ix3,
    Ix4, Ix5, Ix6, IxDyn, array, s,
};

pub use crate::error::Cancelled;
pub use crate::served::batching::*;
pub use crate::served::model::model;
pub use crate::served::state::*;
pub use crate::served::tensors::*;
pub use crate::{
    Call, Cancellation, Context, Identity, ParameterValue, Parameters, Ragged, Request, Responses,
    Sequence,
};
// Only the attribute: importing the module `openai` as well would shadow a crate of that name.
pub use pytriton_macros::openai;
