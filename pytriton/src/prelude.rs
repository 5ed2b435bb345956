//! Everything a file with models needs: `use pytriton::prelude::*;`.

pub use pytriton_runtime::half::{bf16, f16};
pub use pytriton_runtime::ndarray::{
    Array, Array1, Array2, Array3, Array4, Array5, Array6, ArrayD, ArrayView, ArrayView1,
    ArrayView2, ArrayView3, ArrayView4, ArrayView5, ArrayView6, ArrayViewD, Axis, array, s,
};

pub use crate::{Context, ParameterValue, Parameters, Request};
pub use crate::{Outputs, batch, first_value, infer, input, load, model, output, sample};
