use half::{bf16, f16};
use ndarray::{Array, ArrayView, Dimension};

use crate::tensor::{BytesElement, Element};

use super::{ArrayOf, OptionalArrayOf, OptionalValueOf, ValueOf};

/// An [`Element`] type that can be a parameter by itself.
///
/// A separate trait, because the compiler can rely on it not being implemented for arrays and
/// options only if it is defined in this crate.
pub trait Scalar: Element {}

#[diagnostic::do_not_recommend]
impl<T: BytesElement> Scalar for T {}

macro_rules! scalars {
    ($($rust:ty),* $(,)?) => {$(
        impl Scalar for $rust {}
    )*};
}

scalars! {
    bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Vec<u8>, String,
}

/// The type of a parameter that has one value for all rows.
pub trait FirstValueType {
    /// [`ValueOf`], [`OptionalValueOf`], [`ArrayOf`] or [`OptionalArrayOf`].
    type Kind;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> FirstValueType for T {
    type Kind = ValueOf<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> FirstValueType for Option<T> {
    type Kind = OptionalValueOf<T>;
}

macro_rules! arrays {
    ($($array:ty => $kind:ident),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, D: Dimension> FirstValueType for $array {
            type Kind = $kind<T, D>;
        }
    )*};
}

arrays!(
    ArrayView<'_, T, D> => ArrayOf,
    Array<T, D> => ArrayOf,
    Option<ArrayView<'_, T, D>> => OptionalArrayOf,
    Option<Array<T, D>> => OptionalArrayOf,
);
