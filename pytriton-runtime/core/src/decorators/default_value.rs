use std::fmt::Debug;

use bytes::Bytes;
use half::{bf16, f16};

use crate::tensor::Element;

/// The default value of an omitted input: one element, or an array of elements or arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as elements of type `{T}`",
    label = "expected a value of type `{T}`, or an array of such values"
)]
pub trait DefaultValue<T: Element>: Debug + Send + Sync {
    /// Returns the dims of one row. Empty for a single element.
    fn dims(&self) -> Vec<usize>;

    /// Appends the elements in row-major order.
    fn elements(&self, elements: &mut Vec<T>);
}

impl<T: Element, V: DefaultValue<T>, const N: usize> DefaultValue<T> for [V; N] {
    fn dims(&self) -> Vec<usize> {
        let mut dims = self.first().map_or_else(Vec::new, V::dims);
        dims.insert(0, N);
        dims
    }

    fn elements(&self, elements: &mut Vec<T>) {
        for value in self {
            value.elements(elements);
        }
    }
}

macro_rules! one_element {
    ($($from:ty => $to:ty),* $(,)?) => {
        $(
            impl DefaultValue<$to> for $from {
                fn dims(&self) -> Vec<usize> {
                    Vec::new()
                }

                fn elements(&self, elements: &mut Vec<$to>) {
                    elements.push(<$to>::from(*self));
                }
            }
        )*
    };
}

one_element! {
    bool => bool,
    u8 => u8, u16 => u16, u32 => u32, u64 => u64,
    i8 => i8, i16 => i16, i32 => i32, i64 => i64,
    f16 => f16, bf16 => bf16, f32 => f32, f64 => f64,
    &str => String,
    &str => Vec<u8>,
    &[u8] => Vec<u8>,
}

macro_rules! one_element_of_bytes {
    ($([$($n:ident)?] $from:ty => $to:ty: $element:expr;)*) => {$(
        impl$(<const $n: usize>)? DefaultValue<$to> for $from {
            fn dims(&self) -> Vec<usize> {
                Vec::new()
            }

            fn elements(&self, elements: &mut Vec<$to>) {
                elements.push($element(self.as_ref()));
            }
        }
    )*};
}

one_element_of_bytes! {
    [N] &[u8; N] => Vec<u8>: <[u8]>::to_vec;
    [N] &[u8; N] => Bytes: Bytes::copy_from_slice;
    [] &[u8] => Bytes: Bytes::copy_from_slice;
    [] &str => Bytes: Bytes::copy_from_slice;
}
