//! A model's signature as types. Generated code implements [`Model`]; the other traits connect
//! clients with the argument and result types of functions.

mod argument;
mod by_signature;
mod first_value;
mod markers;
mod model;
mod returned;
mod takes;

pub use half::{bf16, f16};

pub use argument::Argument;
pub use by_signature::{read_outputs, read_outputs_within, repeated_shape};
pub use first_value::{FirstValueType, Scalar};
pub use markers::{ArrayOf, OptionalArrayOf, OptionalValueOf, ValueOf};
pub use model::{Many, Model, Once};
pub use returned::{FromTensor, Returned, Tensors};
pub use takes::Takes;
