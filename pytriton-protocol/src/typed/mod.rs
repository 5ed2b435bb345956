//! A model as types: what its callers give and get, known to the compiler. Generated code implements [`Model`]; clients and the
//! types of models' functions meet in the other traits.

mod argument;
mod markers;
mod model;
mod returned;
mod takes;

pub use half::{bf16, f16};

pub use argument::Argument;
pub use markers::{ArrayOf, OptionalArrayOf, OptionalValueOf, ValueOf};
pub use model::{Many, Model, Once};
pub use returned::{FromTensor, Returned, Tensors};
pub use takes::Takes;
