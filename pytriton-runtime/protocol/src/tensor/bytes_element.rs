use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write;
use std::iter::successors;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::bytes::Bytes;
use ndarray::{Array, Dimension};

use crate::panic::{discard, panic_message};

use super::bytes::{PREFIX, decode_each, push_lossy};
use super::element::{Sealed, capacity};
use super::{BytesElements, DataType, Element, Elements, TensorError};

/// The maximum size of the text of an error, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 10;

/// The reason why an element cannot be decoded or encoded. Clients receive its message and those of
/// its sources.
pub type ElementError = Box<dyn Error + Send + Sync>;

/// Returns whether all elements of a tensor can be decoded. They are decoded and dropped one by
/// one. Before an element is decoded, its memory in bytes is passed to the second argument, which
/// returns `false` if that much is not available.
pub type ElementCheck = fn(&Bytes, &mut dyn FnMut(usize) -> bool) -> bool;

/// A user-defined element type for `BYTES` tensors.
///
/// A type that implements it is an [`Element`]: it can be used in arrays and as a single value, in
/// inputs and in outputs, wherever `String` can. [`Bytes`] is the element itself without a copy,
/// and `Json<T>` is a value as JSON text.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use pytriton_protocol::tensor::{BytesElement, ElementError, Tensor};
///
/// /// A color as text: `#ff8000`.
/// #[derive(Debug, Clone, PartialEq)]
/// struct Color(u32);
///
/// impl BytesElement for Color {
///     fn decode(element: Bytes) -> Result<Self, ElementError> {
///         let text = std::str::from_utf8(&element)?;
///         let digits = text.strip_prefix('#').ok_or("a color starts with `#`")?;
///         Ok(Self(u32::from_str_radix(digits, 16)?))
///     }
///
///     fn encode(&self) -> Result<Bytes, ElementError> {
///         Ok(format!("#{:06x}", self.0).into())
///     }
/// }
///
/// let tensor = Tensor::from_elements(vec![1], vec![Color(0xff8000)])?;
/// assert_eq!(*tensor.elements::<String>()?, ["#ff8000"]);
/// assert_eq!(*tensor.elements::<Color>()?, [Color(0xff8000)]);
/// # Ok::<(), pytriton_protocol::tensor::TensorError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a `BYTES` tensor",
    label = "not an element of a `BYTES` tensor",
    note = "implement `pytriton::elements::BytesElement` for it"
)]
pub trait BytesElement: Clone + Send + Sync + 'static {
    /// Decodes an element. The bytes share the memory of their tensor, which stays reserved while
    /// any part of them exists.
    ///
    /// In a server, an error is the response of the request that contains the element, with HTTP
    /// status 400. The function may be called again for an element that it has decoded before.
    ///
    /// # Errors
    ///
    /// Returns the reason why the element is invalid.
    ///
    /// # Panics
    ///
    /// A panic is a bug of the decoder. The server catches it and fails only the request that
    /// contains the element, with HTTP status 500. It is not fatal for the model, even if
    /// `unrecoverable_panics` is set.
    fn decode(element: Bytes) -> Result<Self, ElementError>;

    /// Encodes an element.
    ///
    /// # Errors
    ///
    /// Returns the reason why the value cannot be encoded. In a server, it is the response of the
    /// request that the element belongs to, with HTTP status 500. Requests that do not request the
    /// output are not affected.
    ///
    /// # Panics
    ///
    /// The server treats a panic as such an error. It is not fatal for the model, even if
    /// `unrecoverable_panics` is set.
    fn encode(&self) -> Result<Bytes, ElementError>;

    /// Returns the maximum memory that the decoded value takes in addition to the size of `Self`,
    /// in bytes. The default is the length of the element. For an image, read the size from its
    /// header.
    ///
    /// The embedded engine reserves the memory before it decodes the element, and refuses the
    /// request with HTTP status 503 if it exceeds `--max-bytes-in-flight`. The exception is a raw
    /// function, which takes `&[Request]`: it chooses the type when it calls `Request::array`,
    /// after the engine has reserved the memory of `Vec<u8>` elements.
    ///
    /// # Panics
    ///
    /// The server catches a panic and reserves the default. [`decode`](Self::decode) reports why
    /// the element is invalid.
    fn decoded_bytes(element: &[u8]) -> usize {
        element.len()
    }

    /// Returns the size of the encoded value in bytes, if it is known without encoding it. The
    /// default is `None`.
    ///
    /// If the sizes of all elements are known, the buffer of a tensor is allocated once. Otherwise it
    /// grows, and may take up to three times its final size.
    fn encoded_bytes(&self) -> Option<usize> {
        None
    }
}

impl BytesElement for Bytes {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        Ok(element)
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        Ok(self.clone())
    }

    fn decoded_bytes(_: &[u8]) -> usize {
        0
    }

    fn encoded_bytes(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: BytesElement> Sealed for T {}

#[diagnostic::do_not_recommend]
impl<T: BytesElement> Element for T {
    const DATATYPE: DataType = DataType::Bytes;
    const CHECK: Option<ElementCheck> = Some(|data, reserve| {
        BytesElements::new(data)
            .enumerate()
            .all(|(index, element)| {
                element.is_ok_and(|element| {
                    reserve(element_bytes::<T>(element))
                        && decode_element(index, data.slice_ref(element), drop::<T>).is_ok()
                })
            })
    });

    fn decode(data: &Bytes) -> Result<Elements<'_, Self>, TensorError> {
        let elements = decode_each(data, |index, element| {
            decode_element(index, data.slice_ref(element), |decoded: T| decoded)
        });
        elements.map(Cow::Owned)
    }

    fn encode_lossy<D: Dimension, E>(
        array: Array<Self, D>,
        row_elements: usize,
        errors: &mut Vec<TensorError>,
        reserve: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Bytes, E> {
        let encoded = array.iter().enumerate().map(|(index, element)| {
            let encoded = caught(|| element.encode().map_err(|error| error_text(&*error)));
            let message = match encoded {
                Ok(Ok(bytes)) => return Ok(bytes),
                Ok(Err(message)) => message,
                Err(panic) => format!("the encoder panicked: {panic}"),
            };
            Err(TensorError::Encode { index, message })
        });
        push_lossy(encoded, capacity(&array), row_elements, errors, reserve)
    }

    fn encoded_bytes(element: &Self) -> Option<usize> {
        // The error of a value that panics here is reported when it is encoded.
        let bytes = caught(|| BytesElement::encoded_bytes(element)).ok()??;
        // A wrong size must not allocate more than an element can have.
        (bytes <= u32::MAX as usize).then(|| PREFIX + bytes)
    }

    fn decoded_bytes(data: &[u8]) -> Option<usize> {
        let elements = BytesElements::new(data).map_while(Result::ok);
        let bytes = elements.map(element_bytes::<T>);
        Some(bytes.fold(0, usize::saturating_add))
    }
}

/// Returns the maximum memory of a decoded element, including its own size.
fn element_bytes<T: BytesElement>(element: &[u8]) -> usize {
    // The error of an element that panics here is reported when it is decoded.
    let bytes = caught(|| T::decoded_bytes(element)).unwrap_or(element.len());
    size_of::<T>().saturating_add(bytes)
}

/// Decodes an element and passes it to `take`.
fn decode_element<T: BytesElement, R>(
    index: usize,
    element: Bytes,
    take: impl FnOnce(T) -> R,
) -> Result<R, TensorError> {
    let decoded = caught(|| match T::decode(element) {
        Ok(decoded) => Ok(take(decoded)),
        Err(error) => Err(error_text(&*error)),
    });
    match decoded {
        Ok(decoded) => decoded.map_err(|message| TensorError::Decode { index, message }),
        Err(message) => Err(TensorError::DecoderPanic { index, message }),
    }
}

/// Calls a function of the user's type. If it panics, returns the message.
fn caught<R>(function: impl FnOnce() -> R) -> Result<R, String> {
    // The function has no state of this crate that a panic could leave inconsistent.
    catch_unwind(AssertUnwindSafe(function)).map_err(|panic| {
        let message = bounded(panic_message(panic.as_ref()));
        discard(panic);
        message
    })
}

/// Returns the message of an error and those of its sources.
fn error_text(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for source in successors(error.source(), |&error| error.source()) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, ": {source}");
    }
    bounded(text)
}

/// Limits a text to [`MAX_TEXT_BYTES`], because it may contain the element.
fn bounded(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        let mut ends = (0..=MAX_TEXT_BYTES).rev();
        let end = ends.find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or_default());
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
#[path = "bytes_element_tests.rs"]
mod tests;
