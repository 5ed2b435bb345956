use std::borrow::Cow;
use std::convert::Infallible;

use ::bytes::Bytes;
use bytemuck::{AnyBitPattern, NoUninit};
use half::{bf16, f16};
use ndarray::{Array, Array1, Dimension};

use super::bytes::{decode_each, encoded_bytes, push_lossy};
use super::{DataType, ElementCheck, Tensor, TensorError};

/// The elements of a tensor: borrowed from its bytes if they are aligned, otherwise decoded.
pub type Elements<'a, T> = Cow<'a, [T]>;

/// The overhead of the smallest allocation. Each `String` or `Vec<u8>` of an array has one.
pub const ALLOCATION_BYTES: usize = 32;

/// A Rust type for the elements of a tensor. To add one, implement
/// [`BytesElement`](super::BytesElement).
///
/// | Rust | KServe |
/// | --- | --- |
/// | `bool` | `BOOL` |
/// | `u8` `u16` `u32` `u64` | `UINT8` `UINT16` `UINT32` `UINT64` |
/// | `i8` `i16` `i32` `i64` | `INT8` `INT16` `INT32` `INT64` |
/// | `f16` `bf16` `f32` `f64` | `FP16` `BF16` `FP32` `FP64` |
/// | `Vec<u8>` `String`, types that implement [`BytesElement`](super::BytesElement) | `BYTES` |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a tensor",
    label = "not an element type",
    note = "element types are bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, Vec<u8> and String",
    note = "for a type of your own, implement `pytriton::elements::BytesElement`"
)]
pub trait Element: Sealed + Clone + Send + Sync + 'static {
    /// The KServe datatype.
    const DATATYPE: DataType;

    /// Whether the elements of a `BYTES` tensor must be valid UTF-8.
    const UTF8: bool = false;

    /// Decodes the bytes of a tensor.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the bytes are not valid elements of this type.
    fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError>;

    /// Encodes an array as the bytes of a tensor, in row-major order. An element that cannot be
    /// encoded is empty. The first error of each row of `row_elements` elements is appended to
    /// `errors`.
    ///
    /// `reserve` is called with the size in bytes of all buffers, before one is allocated and after
    /// one is freed. The last size is at least that of the result. The vector of an array of
    /// numbers in row-major order becomes the result, so its size is passed once.
    ///
    /// # Errors
    ///
    /// Returns the error of `reserve`.
    fn encode_lossy<D: Dimension, E>(
        array: Array<Self, D>,
        row_elements: usize,
        errors: &mut Vec<TensorError>,
        reserve: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Bytes, E>;

    /// Encodes elements as the bytes of a tensor.
    ///
    /// # Errors
    ///
    /// Returns the [`TensorError`] of the first element that cannot be encoded, such as
    /// [`TensorError::ElementTooLong`].
    fn encode(elements: Vec<Self>) -> Result<Bytes, TensorError> {
        encode_array(Array1::from_vec(elements))
    }

    /// Returns the size of an encoded element in bytes, if it is known without encoding it.
    fn encoded_bytes(element: &Self) -> Option<usize>;

    /// Returns the maximum memory that decoding these bytes takes, in bytes, if the type determines
    /// it.
    fn decoded_bytes(data: &[u8]) -> Option<usize> {
        let _ = data;
        None
    }

    /// Checks the bytes of a tensor, if only decoding shows whether elements are valid.
    const CHECK: Option<ElementCheck> = None;
}

/// Prevents other implementations of [`Element`] than those of this crate.
pub trait Sealed {}

impl Tensor {
    /// Returns the elements in row-major order.
    ///
    /// # Errors
    ///
    /// Returns a [`TensorError`] if the tensor has another datatype, or if its bytes are not valid
    /// elements.
    pub fn elements<T: Element>(&self) -> Result<Elements<'_, T>, TensorError> {
        if self.datatype() != T::DATATYPE {
            return Err(TensorError::DataType {
                expected: T::DATATYPE,
                found: self.datatype(),
            });
        }
        T::decode(self.data())
    }
}

/// A vector of plain values viewed as bytes, so that it can be shared without a copy.
struct Owner<T>(Vec<T>);

impl<T: NoUninit> AsRef<[u8]> for Owner<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

fn decode_plain<T: AnyBitPattern + NoUninit>(data: &[u8]) -> Elements<'_, T> {
    if let Ok(elements) = bytemuck::try_cast_slice(data) {
        return Cow::Borrowed(elements);
    }
    // Not aligned. A tensor always contains whole elements.
    let mut elements = vec![T::zeroed(); data.len() / size_of::<T>()];
    let bytes = elements.len() * size_of::<T>();
    bytemuck::cast_slice_mut(&mut elements).copy_from_slice(&data[..bytes]);
    Cow::Owned(elements)
}

/// Returns the elements of a tensor of numbers without a copy, even if its bytes are not aligned.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::numbers;
/// let bytes = [0, 1, 0, 2, 0];
/// assert!(numbers::<u16>(&bytes[1..]).eq([1, 2]));
/// ```
#[inline]
pub fn numbers<T: Element + AnyBitPattern>(data: &[u8]) -> impl ExactSizeIterator<Item = T> {
    data.chunks_exact(size_of::<T>())
        .map(bytemuck::pod_read_unaligned)
}

macro_rules! plain_element {
    ($($rust:ty => $datatype:ident),* $(,)?) => {$(
        impl Sealed for $rust {}

        impl Element for $rust {
            const DATATYPE: DataType = DataType::$datatype;

            fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError> {
                Ok(decode_plain(data))
            }

            fn encode_lossy<D: Dimension, E>(
                array: Array<Self, D>,
                _: usize,
                _: &mut Vec<TensorError>,
                reserve: impl FnMut(usize) -> Result<(), E>,
            ) -> Result<Bytes, E> {
                encode_plain(array, reserve)
            }

            fn encoded_bytes(_: &Self) -> Option<usize> {
                Some(size_of::<Self>())
            }
        }
    )*};
}

plain_element! {
    u8 => Uint8,
    u16 => Uint16,
    u32 => Uint32,
    u64 => Uint64,
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    f16 => Fp16,
    bf16 => Bf16,
    f32 => Fp32,
    f64 => Fp64,
}

impl Sealed for bool {}

impl Element for bool {
    const DATATYPE: DataType = DataType::Bool;

    fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError> {
        bytemuck::checked::try_cast_slice(data)
            .map(Cow::Borrowed)
            .map_err(|_| not_bool(data))
    }

    fn encode_lossy<D: Dimension, E>(
        array: Array<Self, D>,
        _: usize,
        _: &mut Vec<TensorError>,
        reserve: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Bytes, E> {
        encode_plain(array, reserve)
    }

    fn encoded_bytes(_: &Self) -> Option<usize> {
        Some(size_of::<Self>())
    }
}

fn not_bool(data: &[u8]) -> TensorError {
    let index = data.iter().position(|&byte| byte > 1).unwrap_or_default();
    TensorError::NotBool {
        index,
        value: data.get(index).copied().unwrap_or_default(),
    }
}

/// Encodes an array of any element type.
///
/// # Errors
///
/// Returns the [`TensorError`] of the first element that cannot be encoded.
pub(super) fn encode_array<T: Element, D: Dimension>(
    array: Array<T, D>,
) -> Result<Bytes, TensorError> {
    let mut errors = Vec::new();
    let Ok(data) = T::encode_lossy(array, usize::MAX, &mut errors, unlimited);
    errors.pop().map_or(Ok(data), Err)
}

/// The argument of [`Element::encode_lossy`] for memory that is not limited.
fn unlimited(_: usize) -> Result<(), Infallible> {
    Ok(())
}

/// Moves an array in row-major order into a buffer, and copies others.
fn encode_plain<T: NoUninit + Send + Sync, D: Dimension, E>(
    array: Array<T, D>,
    mut reserve: impl FnMut(usize) -> Result<(), E>,
) -> Result<Bytes, E> {
    let elements = match array.is_standard_layout() {
        true => into_row_major(array),
        false => {
            reserve(array.len().saturating_mul(size_of::<T>()))?;
            array.iter().copied().collect()
        }
    };
    reserve(elements.len().saturating_mul(size_of::<T>()))?;
    Ok(Bytes::from_owner(Owner(elements)))
}

/// Returns the elements of an array in row-major order without a copy.
fn into_row_major<T, D: Dimension>(array: Array<T, D>) -> Vec<T> {
    let len = array.len();
    let (mut elements, offset) = array.into_raw_vec_and_offset();
    // The vector of a sliced array also contains the elements outside of the slice.
    elements.truncate(offset.unwrap_or_default().saturating_add(len));
    elements.drain(..offset.unwrap_or_default());
    // More than half of the vector would be kept alive for nothing.
    if elements.capacity() / 2 > elements.len() {
        elements.shrink_to_fit();
    }
    elements
}

/// Returns the size of the encoded elements, as far as it is known.
pub(super) fn capacity<T: Element, D: Dimension>(array: &Array<T, D>) -> usize {
    let bytes = array.iter().filter_map(T::encoded_bytes);
    bytes.fold(0, usize::saturating_add)
}

/// The encoder of elements that contain their bytes.
macro_rules! encode_slices {
    () => {
        fn encode_lossy<D: Dimension, E>(
            array: Array<Self, D>,
            row_elements: usize,
            errors: &mut Vec<TensorError>,
            reserve: impl FnMut(usize) -> Result<(), E>,
        ) -> Result<Bytes, E> {
            let elements = array.iter().map(Ok);
            push_lossy(elements, capacity(&array), row_elements, errors, reserve)
        }

        fn encoded_bytes(element: &Self) -> Option<usize> {
            Some(encoded_bytes(element.as_ref()))
        }
    };
}

impl Sealed for Vec<u8> {}

impl Element for Vec<u8> {
    const DATATYPE: DataType = DataType::Bytes;

    fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError> {
        decode_each(data, |_, element| Ok(element.to_vec())).map(Cow::Owned)
    }

    encode_slices!();
}

impl Sealed for String {}

impl Element for String {
    const DATATYPE: DataType = DataType::Bytes;
    const UTF8: bool = true;

    fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError> {
        let elements = decode_each(data, |index, element| {
            let text = std::str::from_utf8(element);
            let text = text.map_err(|_| TensorError::NotUtf8 { index })?;
            Ok(text.to_owned())
        });
        elements.map(Cow::Owned)
    }

    encode_slices!();
}

#[cfg(test)]
mod tests {
    use ndarray::s;

    use super::super::encode_bytes_elements;
    use super::*;

    #[test]
    fn less_than_half_of_a_vector_is_not_kept() {
        // The visible elements of 100, and the capacity of their vector.
        let table = [
            (0..100, 100),
            (50..100, 100),
            (10..60, 100),
            (0..49, 49),
            (90..95, 5),
        ];
        for (range, expected) in table {
            let visible = Array1::from_iter(0..100).slice_move(s![range.clone()]);
            let elements = into_row_major(visible);
            assert_eq!(elements, range.collect::<Vec<i32>>());
            assert_eq!(elements.capacity(), expected);
        }
    }

    #[test]
    fn unaligned_bytes_are_copied_and_read_the_same() {
        let bytes = f32::encode(vec![1.5, -2.0, f32::NAN]).unwrap();
        for start in 0..4 {
            let mut padded = vec![0_u8; start];
            padded.extend_from_slice(&bytes);
            let shifted = Bytes::from(padded).slice(start..);
            let elements = f32::decode(&shifted).unwrap();
            assert_eq!(elements[..2], [1.5, -2.0]);
            assert!(elements[2].is_nan());
        }
    }

    #[test]
    fn invalid_bool_is_reported() {
        assert_eq!(
            bool::decode(&Bytes::from_static(&[0, 1])).unwrap(),
            vec![false, true]
        );
        let expected = TensorError::NotBool { index: 1, value: 2 };
        assert_eq!(bool::decode(&Bytes::from_static(&[1, 2, 3])), Err(expected));
    }

    #[test]
    fn a_string_must_be_utf8() {
        let bytes = Vec::<u8>::encode(vec![b"ok".to_vec(), vec![0xff]]).unwrap();
        assert_eq!(
            String::decode(&bytes),
            Err(TensorError::NotUtf8 { index: 1 })
        );
    }

    #[test]
    fn encoded_elements_are_allocated_once() {
        let texts: Vec<String> = (0..1000).map(|length| "x".repeat(length)).collect();
        let bytes: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into()).collect();
        let shared: Vec<Bytes> = bytes.iter().map(|bytes| bytes.clone().into()).collect();
        let slices = bytes.iter().map(|bytes| &bytes[..]);
        for data in [
            encode_bytes_elements(slices).unwrap(),
            String::encode(texts).unwrap(),
            Vec::<u8>::encode(bytes).unwrap(),
            <Bytes as Element>::encode(shared).unwrap(),
        ] {
            let buffer = Vec::from(data);
            assert_eq!((buffer.capacity(), buffer.len()), (503_500, 503_500));
        }
    }

    fn round_trip<T: Element + PartialEq + std::fmt::Debug>(elements: &[T]) {
        let tensor = Tensor::from_elements(vec![elements.len()], elements.to_vec()).unwrap();
        assert_eq!(tensor.elements::<T>().unwrap(), elements);
    }

    #[test]
    fn elements_of_every_type_round_trip() {
        round_trip(&[true, false]);
        round_trip(&[u8::MAX, 1]);
        round_trip(&[u16::MAX, 1]);
        round_trip(&[u32::MAX, 1]);
        round_trip(&[u64::MAX, 1]);
        round_trip(&[i8::MIN, 1]);
        round_trip(&[i16::MIN, 1]);
        round_trip(&[i32::MIN, 1]);
        round_trip(&[i64::MIN, 1]);
        round_trip(&[f16::MAX, f16::ONE]);
        round_trip(&[bf16::MAX, bf16::ONE]);
        round_trip(&[f32::MAX, 0.5]);
        round_trip(&[f64::MAX, 0.5]);
        round_trip(&[vec![0xff, 0], vec![]]);
        round_trip(&["ü".to_owned(), String::new()]);
        round_trip(&[Bytes::from_static(b"\xff"), Bytes::new()]);
    }

    #[test]
    fn elements_are_not_read_as_another_type() {
        let tensor = Tensor::from_elements(vec![1], vec![1_i32]).unwrap();
        let expected = TensorError::DataType {
            expected: DataType::Uint32,
            found: DataType::Int32,
        };
        assert_eq!(tensor.elements::<u32>(), Err(expected));
    }
}
