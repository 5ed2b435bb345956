use half::{bf16, f16};
use ndarray::{ArcArray, Array, ArrayRef, ArrayView, CowArray, Dimension};

use crate::tensor::{BytesElement, Element, Tensor, TensorError};

use super::{ArrayOf, OptionalArrayOf, OptionalValueOf, ValueOf};

/// An argument for an input `I`.
///
/// An array input takes any array of the same element type and rank, owned (not copied if it is in
/// row-major order) or borrowed. An optional input also takes `None`, or `Some` of a view.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given where the model takes `{I}`",
    label = "not what the model takes",
    note = "expected an owned or borrowed array with the same element type and number of dimensions, or the value itself for a single value"
)]
pub trait Argument<I> {
    /// Converts the argument to a tensor; `None` for an omitted input. A single value gets no batch
    /// axis.
    ///
    /// # Errors
    ///
    /// Returns [`TensorError::ElementTooLong`] for a `BYTES` element of 4 GiB or more.
    fn into_tensor(self) -> Result<Option<Tensor>, TensorError>;
}

#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension> Argument<OptionalArrayOf<T, D>> for Option<ArrayView<'_, T, D>> {
    fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
        self.map_or(Ok(None), Argument::<ArrayOf<T, D>>::into_tensor)
    }
}

macro_rules! arrays {
    ($($input:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, D: Dimension> Argument<$input<T, D>> for Array<T, D> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self).map(Some)
            }
        }

        arrays! { $input:
            &Array<T, D>,
            ArrayView<'_, T, D>,
            &ArrayView<'_, T, D>,
            CowArray<'_, T, D>,
            &CowArray<'_, T, D>,
            ArcArray<T, D>,
            &ArcArray<T, D>,
            &ArrayRef<T, D>,
        }
    )*};
    ($input:ident: $($array:ty),* $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, D: Dimension> Argument<$input<T, D>> for $array {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self.as_standard_layout().into_owned()).map(Some)
            }
        }
    )*};
}

arrays!(ArrayOf, OptionalArrayOf);

/// Implements the conversion of strings.
macro_rules! texts {
    ($($input:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: Dimension> Argument<$input<Vec<u8>, D>> for Array<String, D> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self).map(Some)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<D: Dimension> Argument<$input<Vec<u8>, D>> for &Array<String, D> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self.clone()).map(Some)
            }
        }
    )*};
}

texts!(ArrayOf, OptionalArrayOf);

macro_rules! user_values {
    ($($input:ident for $given:ty: $value:ident => $present:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: BytesElement> Argument<$input<T>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                let $value = self;
                let value: Option<T> = $present;
                let tensor = value.map(|value| Tensor::from_elements(Vec::new(), vec![value]));
                tensor.transpose()
            }
        }
    )*};
}

user_values! {
    ValueOf for T: value => Some(value);
    OptionalValueOf for T: value => Some(value);
    OptionalValueOf for Option<T>: value => value;
}

macro_rules! values {
    ($($value:ty => $($given:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl Argument<ValueOf<$value>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_elements(Vec::new(), vec![<$value>::from(self)]).map(Some)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Argument<OptionalValueOf<$value>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_elements(Vec::new(), vec![<$value>::from(self)]).map(Some)
            }
        }
    )+

        #[diagnostic::do_not_recommend]
        impl Argument<OptionalValueOf<$value>> for Option<$value> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                self.map_or(Ok(None), Argument::<ValueOf<$value>>::into_tensor)
            }
        }
    )*};
}

values! {
    bool => bool;
    u8 => u8;
    u16 => u16;
    u32 => u32;
    u64 => u64;
    i8 => i8;
    i16 => i16;
    i32 => i32;
    i64 => i64;
    f16 => f16;
    bf16 => bf16;
    f32 => f32;
    f64 => f64;
    String => String, &String, &str;
    Vec<u8> => Vec<u8>, &[u8], String, &str;
}

#[cfg(test)]
mod tests {
    use ndarray::{Ix1, Ix2, array};

    use super::*;

    type Array = OptionalArrayOf<f32, Ix2>;

    #[test]
    fn an_omitted_argument_is_no_tensor_and_any_other_is_in_row_major_order() {
        let rows = array![[1.0_f32, 2.0], [3.0, 4.0]];
        let expected = Tensor::from_elements(vec![2, 2], vec![1.0_f32, 3.0, 2.0, 4.0]);
        let expected = expected.map(Some);
        let columns = rows.t();
        assert_eq!(Argument::<Array>::into_tensor(Some(columns)), expected);
        assert_eq!(Argument::<Array>::into_tensor(columns), expected);
        assert_eq!(Argument::<Array>::into_tensor(columns.to_owned()), expected);
        let none = None::<ArrayView<'_, f32, Ix2>>;
        assert_eq!(Argument::<Array>::into_tensor(none), Ok(None));
    }

    #[test]
    fn a_single_value_has_no_batch_axis() {
        let value = |value| Tensor::from_elements(Vec::new(), vec![value]).map(Some);
        assert_eq!(Argument::<ValueOf<i32>>::into_tensor(7), value(7));
        let optional = Argument::<OptionalValueOf<i32>>::into_tensor;
        assert_eq!(optional(Some(7)), value(7));
        assert_eq!(optional(None), Ok(None));
        let text = Argument::<ValueOf<Vec<u8>>>::into_tensor("a");
        assert_eq!(text, Argument::<ValueOf<String>>::into_tensor("a"));
        let words = array!["a".to_owned()];
        let bytes = Tensor::from_elements(vec![1], vec![b"a".to_vec()]).map(Some);
        assert_eq!(
            Argument::<ArrayOf<Vec<u8>, Ix1>>::into_tensor(&words),
            bytes
        );
        assert_eq!(Argument::<ArrayOf<Vec<u8>, Ix1>>::into_tensor(words), bytes);
    }
}
