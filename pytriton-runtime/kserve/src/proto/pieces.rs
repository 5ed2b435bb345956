use std::mem::replace;

use bytes::Bytes;
use prost::Message;
use prost::encoding::encode_varint;
use pytriton_core::body_buffer::BodyBuffer;
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_protocol::proto::ModelInferRequest;

use super::bounded_error::BoundedError;
use super::extent::Extent;
use super::field_count::FieldCount;
use super::varint::Varint;

/// Raw contents of this size get their own buffer. For smaller ones, this would cost more than it
/// saves.
const MIN_OWN_BUFFER_BYTES: usize = 4 << 10;

/// The maximum capacity that is allocated for bytes that have not arrived.
const MAX_PREALLOCATED_BYTES: usize = 256 << 10;

/// The memory of raw contents with their own buffer in addition to their bytes: an entry of a list
/// that grows by doubling, and the shared header of the buffer.
const OWNED_BYTES: usize = 3 * size_of::<(usize, Bytes)>() + 32;

/// The maximum size of a length in protobuf.
const MAX_VARINT_BYTES: usize = 10;

/// The initial capacity for everything except raw contents.
const INITIAL_REST_BYTES: usize = 256;

/// The field of raw contents in a request.
const RAW: u64 = 7;

/// A [`ModelInferRequest`] that arrives in pieces.
///
/// Large raw contents are copied once, each to a position that is aligned for every element type.
/// Prost decodes everything else, with an empty field in place of each of them. Therefore prost
/// alone decides what a valid message is.
///
/// # Examples
///
/// ```
/// # use pytriton_kserve::proto::Pieces;
/// # use pytriton_core::memory_budget::MemoryBudget;
/// let budget = MemoryBudget::new(1 << 20);
/// let mut pieces = Pieces::new(4, budget.empty_permit());
/// pieces.push(&[0x3a, 2]).unwrap();
/// pieces.push(b"ab").unwrap();
/// let (message, _permit) = pieces.decode().unwrap();
/// assert_eq!(message.raw_input_contents, ["ab"]);
/// ```
#[derive(Debug)]
pub struct Pieces {
    longest: usize,
    rest: TrackedBuffer,
    place: Place,
    /// The number of fields that have begun, and how many of them are raw contents.
    fields: FieldCount,
    raw: usize,
    owned: Vec<(usize, Bytes)>,
    /// Covers the raw contents with their own buffer.
    permit: MemoryPermit,
}

/// The meaning of the next byte.
#[derive(Debug)]
enum Place {
    Key(Varint),
    /// The length of a field, and whether the field is raw contents.
    Length(Varint, bool),
    /// A value whose last byte is recognized when it arrives.
    Value,
    /// A value that lacks this many bytes.
    Field(u64),
    /// Raw contents with their own buffer that lack this many bytes.
    Own(BodyBuffer, usize),
    /// The position after a group, an error, or the maximum number of fields.
    Unparsed,
}

impl Pieces {
    /// Creates an empty message of at most `longest` bytes. Its memory is reserved with `permit`,
    /// which is empty.
    pub fn new(longest: usize, permit: MemoryPermit) -> Self {
        Self {
            longest,
            rest: TrackedBuffer::new(permit.sibling()),
            place: Place::KEY,
            fields: FieldCount::default(),
            raw: 0,
            owned: Vec::new(),
            permit,
        }
    }

    /// Returns how many of the received bytes must be parsed to decode the message.
    pub fn weight(&self) -> usize {
        self.rest.as_slice().len()
    }

    /// Adds the next bytes.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if their memory cannot be reserved.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), MemoryBudgetError> {
        if self.rest.capacity() == 0 {
            self.rest.reserve(if self.longest <= MIN_OWN_BUFFER_BYTES {
                self.longest
            } else {
                INITIAL_REST_BYTES
            })?;
        }
        while let [first, ..] = *bytes {
            let place = replace(&mut self.place, Place::Unparsed);
            let (place, taken) = match place {
                Place::Key(_) | Place::Length(..) | Place::Value => {
                    self.rest.extend_from_slice(&[first])?;
                    (self.after_byte(place, first)?, 1)
                }
                Place::Field(missing) => {
                    let taken = bytes
                        .len()
                        .min(usize::try_from(missing).unwrap_or(usize::MAX));
                    self.rest.extend_from_slice(&bytes[..taken])?;
                    (Place::field(missing - taken as u64), taken)
                }
                Place::Own(mut buffer, missing) => {
                    let taken = bytes.len().min(missing);
                    buffer.push(&bytes[..taken])?;
                    (self.own(buffer, missing - taken)?, taken)
                }
                Place::Unparsed => {
                    self.rest.extend_from_slice(bytes)?;
                    (place, bytes.len())
                }
            };
            self.place = place;
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    /// Returns the number of received bytes.
    pub fn length(&self) -> usize {
        let owned = self.owned.iter().map(|(_, contents)| contents.len());
        self.weight() + owned.sum::<usize>()
    }

    /// Returns the memory of the fields, typed contents and copied texts while the message is
    /// decoded.
    ///
    /// # Errors
    ///
    /// Returns [`BoundedError::Fields`] if it has too many fields, parameters and dimensions.
    pub fn elements(&self) -> Result<usize, BoundedError> {
        self.fields.within_limit()?;
        let elements = Extent::of(self.rest.as_slice()).bytes()?;
        Ok(elements.saturating_add(self.weight()))
    }

    /// Decodes the complete message. The permit covers its bytes, but not what is copied of them.
    ///
    /// # Errors
    ///
    /// Returns [`BoundedError::Decode`] if the message is invalid, and [`BoundedError::Budget`] if
    /// a copy cannot be reserved.
    pub fn decode(self) -> Result<(ModelInferRequest, MemoryPermit), BoundedError> {
        let (mut rest, mut permit) = (self.rest, self.permit);
        if let Place::Own(buffer, missing) = self.place {
            // The message is truncated, which prost reports.
            let contents = buffer.as_slice();
            rest.reserve(MAX_VARINT_BYTES + contents.len())?;
            // Instead of the length 0.
            rest.truncate(rest.as_slice().len() - 1);
            let mut free = rest.free_mut();
            encode_varint((contents.len() + missing) as u64, &mut free.buf_mut());
            free.extend_from_slice(contents);
        }
        let rest = rest.into_body(0).transfer_to(&mut permit)?;
        let mut message = ModelInferRequest::decode(rest)?;
        for (index, contents) in self.owned {
            if let Some(empty) = message.raw_input_contents.get_mut(index) {
                *empty = contents;
            }
        }
        Ok((message, permit))
    }

    /// Returns the place after a byte of a number.
    fn after_byte(&mut self, place: Place, byte: u8) -> Result<Place, MemoryBudgetError> {
        Ok(match place {
            Place::Key(mut key) => match key.push(byte) {
                Some(value) => {
                    self.fields.add(1);
                    match self.fields.within_limit() {
                        Ok(_) => Place::after_key(value),
                        Err(_) => Place::Unparsed,
                    }
                }
                None if key.is_full() => Place::Unparsed,
                None => Place::Key(key),
            },
            Place::Length(mut length, raw) => match length.push(byte) {
                Some(value) => self.begin(length, value, raw)?,
                None if length.is_full() => Place::Unparsed,
                None => Place::Length(length, raw),
            },
            Place::Value if byte < 0x80 => Place::KEY,
            place => place,
        })
    }

    /// Begins a field of `value` bytes.
    fn begin(&mut self, length: Varint, value: u64, raw: bool) -> Result<Place, MemoryBudgetError> {
        self.raw += usize::from(raw);
        let bytes = usize::try_from(value).unwrap_or(usize::MAX);
        if bytes > self.longest {
            return Ok(Place::field(value));
        }
        if !raw || bytes < MIN_OWN_BUFFER_BYTES {
            self.rest.reserve(bytes.min(MAX_PREALLOCATED_BYTES))?;
            return Ok(Place::field(value));
        }
        self.rest.truncate(self.weight() - length.len());
        self.rest.extend_from_slice(&[0])?;
        let buffer = BodyBuffer::new(self.permit.sibling(), bytes, Some(0));
        Ok(Place::Own(buffer, bytes))
    }

    fn own(&mut self, buffer: BodyBuffer, missing: usize) -> Result<Place, MemoryBudgetError> {
        if missing > 0 {
            return Ok(Place::Own(buffer, missing));
        }
        let contents = buffer.finish().transfer_to(&mut self.permit)?;
        self.permit.grow(OWNED_BYTES)?;
        self.owned.push((self.raw - 1, contents));
        Ok(Place::KEY)
    }
}

impl Place {
    const KEY: Self = Self::Key(Varint::EMPTY);

    fn after_key(key: u64) -> Self {
        match key & 7 {
            0 => Self::Value,
            1 => Self::Field(8),
            2 => Self::Length(Varint::EMPTY, key >> 3 == RAW),
            5 => Self::Field(4),
            _ => Self::Unparsed,
        }
    }

    fn field(missing: u64) -> Self {
        match missing {
            0 => Self::KEY,
            missing => Self::Field(missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_determines_what_follows() {
        let raw = RAW << 3;
        assert!(matches!(Place::after_key(raw), Place::Value));
        assert!(matches!(Place::after_key(raw | 1), Place::Field(8)));
        assert!(matches!(Place::after_key(raw | 2), Place::Length(_, true)));
        assert!(matches!(Place::after_key(10), Place::Length(_, false)));
        assert!(matches!(Place::after_key(raw | 5), Place::Field(4)));
        // Groups, and types that do not exist.
        for kind in [3, 4, 6, 7] {
            assert!(matches!(Place::after_key(raw | kind), Place::Unparsed));
        }
        assert!(matches!(Place::field(0), Place::Key(_)));
        assert!(matches!(Place::field(1), Place::Field(1)));
    }
}
