use ::bytes::{BufMut, Bytes, BytesMut};

use super::TensorError;

/// The length prefix of a `BYTES` element.
pub(super) const PREFIX: usize = size_of::<u32>();

/// An iterator over the elements of a `BYTES` tensor, without a copy.
///
/// # Examples
///
/// ```
/// # use pytriton_protocol::tensor::BytesElements;
/// let data = [2, 0, 0, 0, b'h', b'i', 0, 0, 0, 0];
/// let elements: Result<Vec<&[u8]>, _> = BytesElements::new(&data).collect();
/// assert_eq!(elements.unwrap(), [&b"hi"[..], b""]);
/// ```
#[derive(Debug, Clone)]
pub struct BytesElements<'a> {
    rest: &'a [u8],
    index: usize,
}

impl<'a> BytesElements<'a> {
    /// Iterates over the elements of `data`.
    #[inline]
    pub fn new(data: &'a [u8]) -> Self {
        Self {
            rest: data,
            index: 0,
        }
    }

    /// Returns the bytes that have not been consumed yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    fn take_element(&mut self) -> Result<&'a [u8], TensorError> {
        let Some((prefix, rest)) = self.rest.split_first_chunk::<PREFIX>() else {
            return Err(TensorError::TruncatedLength {
                index: self.index,
                available: self.rest.len(),
            });
        };
        let length = u32::from_le_bytes(*prefix) as usize;
        let Some((element, rest)) = rest.split_at_checked(length) else {
            return Err(TensorError::TruncatedElement {
                index: self.index,
                length,
                available: rest.len(),
            });
        };
        self.rest = rest;
        self.index += 1;
        Ok(element)
    }
}

impl<'a> Iterator for BytesElements<'a> {
    type Item = Result<&'a [u8], TensorError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let element = self.take_element();
        if element.is_err() {
            self.rest = &[];
        }
        Some(element)
    }
}

/// Appends one `BYTES` element: its length and its bytes.
///
/// # Errors
///
/// Returns [`TensorError::ElementTooLong`] for an element of 4 GiB or more.
pub fn push_bytes_element(
    buffer: &mut BytesMut,
    index: usize,
    element: &[u8],
) -> Result<(), TensorError> {
    let length = element_length(index, element)?;
    buffer.reserve(PREFIX + element.len());
    buffer.put_u32_le(length);
    buffer.put_slice(element);
    Ok(())
}

/// Encodes `BYTES` elements.
///
/// # Errors
///
/// Returns [`TensorError::ElementTooLong`] for an element of 4 GiB or more.
pub fn encode_bytes_elements<'a>(
    elements: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
) -> Result<Bytes, TensorError> {
    let elements = elements.into_iter();
    let capacity = elements.clone().map(encoded_bytes);
    let mut buffer = BytesMut::with_capacity(capacity.fold(0, usize::saturating_add));
    for (index, element) in elements.enumerate() {
        push_bytes_element(&mut buffer, index, element)?;
    }
    Ok(buffer.freeze())
}

/// Returns the size of an encoded element. One that is too long is encoded as an empty one.
pub(super) fn encoded_bytes(element: &[u8]) -> usize {
    match u32::try_from(element.len()) {
        Ok(_) => PREFIX.saturating_add(element.len()),
        Err(_) => PREFIX,
    }
}

/// Decodes each `BYTES` element with its index.
pub(super) fn decode_each<'d, T>(
    data: &'d [u8],
    mut decode: impl FnMut(usize, &'d [u8]) -> Result<T, TensorError>,
) -> Result<Vec<T>, TensorError> {
    // A growing vector would temporarily take up to three times as much.
    let mut elements = Vec::with_capacity(BytesElements::new(data).count());
    for (index, element) in BytesElements::new(data).enumerate() {
        elements.push(decode(index, element?)?);
    }
    Ok(elements)
}

/// Encodes `BYTES` elements, of `capacity` bytes in total as far as their sizes are known. One that
/// cannot be encoded is empty. The first error of each row of `row_elements` elements is appended to
/// `errors`. `reserve` is that of [`Element::encode_lossy`](super::Element::encode_lossy).
///
/// # Errors
///
/// Returns the error of `reserve`.
pub(super) fn push_lossy<B: AsRef<[u8]>, E>(
    elements: impl IntoIterator<Item = Result<B, TensorError>>,
    capacity: usize,
    row_elements: usize,
    errors: &mut Vec<TensorError>,
    mut reserve: impl FnMut(usize) -> Result<(), E>,
) -> Result<Bytes, E> {
    reserve(capacity)?;
    // A growing buffer would temporarily take three times as much, and keep up to twice as much.
    let mut buffer = Vec::with_capacity(capacity);
    let mut failed_row = None;
    for (index, element) in elements.into_iter().enumerate() {
        let element = element.and_then(|bytes| Ok((element_length(index, bytes.as_ref())?, bytes)));
        let (length, bytes) = match &element {
            Ok((length, bytes)) => (*length, bytes.as_ref()),
            Err(_) => (0, &[][..]),
        };
        let needed = buffer.len() + PREFIX + bytes.len();
        if needed > buffer.capacity() {
            grow(&mut buffer, needed, &mut reserve)?;
        }
        buffer.extend_from_slice(&length.to_le_bytes());
        buffer.extend_from_slice(bytes);
        let row = Some(index / row_elements.max(1));
        if let Err(error) = element
            && failed_row != row
        {
            failed_row = row;
            errors.push(error);
        }
    }
    if buffer.capacity() - buffer.len() > buffer.len() / 4 {
        buffer.shrink_to_fit();
        reserve(buffer.capacity())?;
    }
    Ok(buffer.into())
}

/// Moves a buffer to an allocation of at least `needed` bytes, and of twice the size if that much
/// can be reserved.
fn grow<E>(
    buffer: &mut Vec<u8>,
    needed: usize,
    reserve: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let capacity = buffer.capacity();
    let mut larger = needed.max(capacity.saturating_mul(2));
    // The elements are copied from one buffer to the other.
    if let Err(error) = reserve(capacity.saturating_add(larger)) {
        let least = needed.max(capacity.saturating_add(capacity / 4));
        if least == larger {
            return Err(error);
        }
        larger = least;
        reserve(capacity.saturating_add(larger))?;
    }
    buffer.reserve_exact(larger - buffer.len());
    reserve(buffer.capacity())
}

/// Returns the length prefix of an element.
fn element_length(index: usize, element: &[u8]) -> Result<u32, TensorError> {
    u32::try_from(element.len()).map_err(|_| TensorError::ElementTooLong {
        index,
        length: element.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_any_bytes_round_trip() {
        let elements: [&[u8]; 4] = [b"", b"\0", b"end\0\0", &[0xff, 0xfe]];
        let data = encode_bytes_elements(elements).unwrap();
        let back: Vec<&[u8]> = BytesElements::new(&data).collect::<Result<_, _>>().unwrap();
        assert_eq!(back, elements);
    }

    #[test]
    fn truncated_element_is_reported() {
        let table: &[(&[u8], TensorError)] = &[
            (
                &[0, 0, 0, 0, 1, 2],
                TensorError::TruncatedLength {
                    index: 1,
                    available: 2,
                },
            ),
            (
                &[100, 0, 0, 0, 1],
                TensorError::TruncatedElement {
                    index: 0,
                    length: 100,
                    available: 1,
                },
            ),
        ];
        for (data, expected) in table {
            let got: Result<Vec<&[u8]>, _> = BytesElements::new(data).collect();
            assert_eq!(got.unwrap_err(), *expected);
        }
    }
}
