use half::{bf16, f16};
use ndarray::{ArcArray, Array, ArrayRef, ArrayView, CowArray, Dimension};

use crate::tensor::{ALLOCATION_BYTES, BytesElement, Element, Tensor, TensorError};

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

    /// Returns the maximum memory that the conversion takes, in bytes, as far as it is known. Zero if
    /// the tensor takes over the memory of the argument.
    fn converted_bytes(&self) -> usize {
        0
    }
}

/// Returns the size of the encoded elements of an array, as far as it is known.
fn encoded_bytes<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> usize {
    if T::DATATYPE.size().is_some() {
        return array.len().saturating_mul(size_of::<T>());
    }
    let bytes = array.iter().filter_map(<T as Element>::encoded_bytes);
    bytes.fold(0, usize::saturating_add)
}

/// Returns the maximum memory that converting an owned array takes.
fn moved_bytes<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> usize {
    match T::DATATYPE.size() {
        Some(_) if array.is_standard_layout() => 0,
        _ => encoded_bytes(array),
    }
}

/// Returns the maximum memory that converting a borrowed array takes. It is copied, and `BYTES`
/// elements are then encoded.
fn copied_bytes<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> usize {
    let encoded = encoded_bytes(array);
    let copied = match T::DATATYPE.size() {
        Some(_) => 0,
        None => {
            let elements = array
                .len()
                .saturating_mul(size_of::<T>() + ALLOCATION_BYTES);
            elements.saturating_add(encoded)
        }
    };
    encoded.saturating_add(copied)
}

#[diagnostic::do_not_recommend]
impl<T: Element, D: Dimension> Argument<OptionalArrayOf<T, D>> for Option<ArrayView<'_, T, D>> {
    fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
        self.map_or(Ok(None), Argument::<ArrayOf<T, D>>::into_tensor)
    }

    fn converted_bytes(&self) -> usize {
        self.as_ref().map_or(0, |array| copied_bytes(array))
    }
}

macro_rules! arrays {
    ($($input:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, D: Dimension> Argument<$input<T, D>> for Array<T, D> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self).map(Some)
            }

            fn converted_bytes(&self) -> usize {
                moved_bytes(self)
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

            fn converted_bytes(&self) -> usize {
                copied_bytes(self)
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

            fn converted_bytes(&self) -> usize {
                moved_bytes(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<D: Dimension> Argument<$input<Vec<u8>, D>> for &Array<String, D> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_array(self.clone()).map(Some)
            }

            fn converted_bytes(&self) -> usize {
                copied_bytes(self)
            }
        }
    )*};
}

texts!(ArrayOf, OptionalArrayOf);

macro_rules! user_values {
    ($($input:ident for $given:ty: $value:ident => $present:expr, $reference:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: BytesElement> Argument<$input<T>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                let $value = self;
                let value: Option<T> = $present;
                let tensor = value.map(|value| Tensor::from_elements(Vec::new(), vec![value]));
                tensor.transpose()
            }

            fn converted_bytes(&self) -> usize {
                let $value = self;
                let value: Option<&T> = $reference;
                value.and_then(<T as Element>::encoded_bytes).unwrap_or(0)
            }
        }
    )*};
}

user_values! {
    ValueOf for T: value => Some(value), Some(value);
    OptionalValueOf for T: value => Some(value), Some(value);
    OptionalValueOf for Option<T>: value => value, value.as_ref();
}

macro_rules! values {
    ($($value:ty, $one:ident => $bytes:expr => $($given:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl Argument<ValueOf<$value>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_elements(Vec::new(), vec![<$value>::from(self)]).map(Some)
            }

            fn converted_bytes(&self) -> usize {
                let $one = self;
                $bytes
            }
        }

        #[diagnostic::do_not_recommend]
        impl Argument<OptionalValueOf<$value>> for $given {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                Tensor::from_elements(Vec::new(), vec![<$value>::from(self)]).map(Some)
            }

            fn converted_bytes(&self) -> usize {
                Argument::<ValueOf<$value>>::converted_bytes(self)
            }
        }
    )+

        #[diagnostic::do_not_recommend]
        impl Argument<OptionalValueOf<$value>> for Option<$value> {
            fn into_tensor(self) -> Result<Option<Tensor>, TensorError> {
                self.map_or(Ok(None), Argument::<ValueOf<$value>>::into_tensor)
            }

            fn converted_bytes(&self) -> usize {
                let value = self.as_ref();
                value.map_or(0, Argument::<ValueOf<$value>>::converted_bytes)
            }
        }
    )*};
}

/// Returns the maximum memory that converting a text takes: that of a copy, and of its encoding.
fn text_bytes(length: usize) -> usize {
    2 * (size_of::<String>() + ALLOCATION_BYTES + length)
}

values! {
    bool, _value => 0 => bool;
    u8, _value => 0 => u8;
    u16, _value => 0 => u16;
    u32, _value => 0 => u32;
    u64, _value => 0 => u64;
    i8, _value => 0 => i8;
    i16, _value => 0 => i16;
    i32, _value => 0 => i32;
    i64, _value => 0 => i64;
    f16, _value => 0 => f16;
    bf16, _value => 0 => bf16;
    f32, _value => 0 => f32;
    f64, _value => 0 => f64;
    String, text => text_bytes(text.len()) => String, &String, &str;
    Vec<u8>, text => text_bytes(text.len()) => Vec<u8>, &[u8], String, &str;
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
    fn the_memory_of_copies_and_encoded_elements_is_known_before() {
        type Numbers = ArrayOf<f32, Ix2>;
        let rows = array![[1.0_f32, 2.0], [3.0, 4.0]];
        assert_eq!(Argument::<Numbers>::converted_bytes(&&rows), 16);
        assert_eq!(Argument::<Numbers>::converted_bytes(&rows.view()), 16);
        assert_eq!(Argument::<Numbers>::converted_bytes(&rows), 0);
        let columns = rows.reversed_axes();
        assert_eq!(Argument::<Numbers>::converted_bytes(&columns), 16);
        let words = array!["a".to_owned(), "bc".to_owned()];
        // The length prefixes, and the copies of a borrowed array.
        let (encoded, copied) = (2 * 4 + 3, 2 * (24 + 32));
        type Words = ArrayOf<String, Ix1>;
        assert_eq!(Argument::<Words>::converted_bytes(&words), encoded);
        let borrowed = 2 * encoded + copied;
        assert_eq!(Argument::<Words>::converted_bytes(&&words), borrowed);
        type Bytes = ArrayOf<Vec<u8>, Ix1>;
        assert_eq!(Argument::<Bytes>::converted_bytes(&&words), borrowed);
        let none = None::<ArrayView<'_, f32, Ix2>>;
        assert_eq!(Argument::<Array>::converted_bytes(&none), 0);
        let text = |text: String| Argument::<ValueOf<Vec<u8>>>::converted_bytes(&text);
        assert!(text("a".repeat(100)) >= 204);
        assert_eq!(
            Argument::<OptionalValueOf<f32>>::converted_bytes(&Some(1.0)),
            0
        );
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
