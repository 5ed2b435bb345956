use half::{bf16, f16};

use crate::tensor::Element;

/// An [`Element`] that a parameter can be alone.
///
/// The same types again: only of a trait of this crate the compiler knows that arrays and options will never have it.
pub trait Scalar: Element {}

macro_rules! scalars {
    ($($rust:ty),* $(,)?) => {$(
        impl Scalar for $rust {}
    )*};
}

scalars! {
    bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Vec<u8>, String,
}
