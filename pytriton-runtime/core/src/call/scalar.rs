use half::{bf16, f16};

use crate::tensor::Element;

/// An [`Element`] type that can be a parameter by itself.
///
/// A separate trait, because the compiler can rely on it not being implemented for arrays and
/// options only if it is defined in this crate.
pub trait Scalar: Element {}

macro_rules! scalars {
    ($($rust:ty),* $(,)?) => {$(
        impl Scalar for $rust {}
    )*};
}

scalars! {
    bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Vec<u8>, String,
}
