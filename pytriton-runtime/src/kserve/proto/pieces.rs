use std::mem::replace;

use bytes::Bytes;
use prost::encoding::encode_varint;
use prost::{DecodeError, Message};

use crate::proto::ModelInferRequest;
use crate::tensor::AlignedBuffer;

use super::extent::Extent;
use super::varint::Varint;

/// Raw contents of this size get their own buffer. For smaller ones, this would cost more than it
/// saves.
const OWN: usize = 4 << 10;

/// Larger raw contents do not get their own buffer, because it is allocated before they arrive.
const MOST_OWN: usize = 256 << 20;

/// The maximum capacity that is allocated for bytes that have not arrived.
const AHEAD: usize = 1 << 20;

/// The maximum number of fields and dimensions. An empty input takes two bytes in a message, and
/// three hundred in memory.
pub(super) const MAX_FIELDS: usize = 1 << 16;

/// The initial capacity for everything except raw contents.
const REST: usize = 256;

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
/// # use pytriton_runtime::kserve::proto::Pieces;
/// let mut pieces = Pieces::new(4);
/// pieces.push(&[0x3a, 2]);
/// pieces.push(b"ab");
/// assert_eq!(pieces.decode().unwrap().raw_input_contents, ["ab"]);
/// ```
#[derive(Debug)]
pub struct Pieces {
    longest: usize,
    rest: Vec<u8>,
    place: Place,
    /// The number of fields that have begun, and how many of them are raw contents.
    fields: usize,
    raw: usize,
    owned: Vec<(usize, Bytes)>,
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
    Own(AlignedBuffer, usize),
    /// The position after a group, an error, or the maximum number of fields.
    Beyond,
}

impl Pieces {
    /// Creates an empty message of at most `longest` bytes.
    pub fn new(longest: usize) -> Self {
        Self {
            longest,
            rest: Vec::with_capacity(if longest <= OWN { longest } else { REST }),
            place: Place::KEY,
            fields: 0,
            raw: 0,
            owned: Vec::new(),
        }
    }

    /// Returns how many of the received bytes must be parsed to decode the message.
    pub fn weight(&self) -> usize {
        self.rest.len()
    }

    /// Adds the next bytes.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let [first, ..] = *bytes {
            let place = replace(&mut self.place, Place::Beyond);
            let (place, taken) = match place {
                Place::Key(_) | Place::Length(..) | Place::Value => {
                    self.rest.push(first);
                    (self.behind(place, first), 1)
                }
                Place::Field(missing) => {
                    let taken = bytes
                        .len()
                        .min(usize::try_from(missing).unwrap_or(usize::MAX));
                    self.rest.extend_from_slice(&bytes[..taken]);
                    (Place::field(missing - taken as u64), taken)
                }
                Place::Own(mut buffer, missing) => {
                    let taken = bytes.len().min(missing);
                    buffer.extend_from_slice(&bytes[..taken]);
                    (self.own(buffer, missing - taken), taken)
                }
                Place::Beyond => {
                    self.rest.extend_from_slice(bytes);
                    (place, bytes.len())
                }
            };
            self.place = place;
            bytes = &bytes[taken..];
        }
    }

    /// Returns the number of received bytes.
    pub fn length(&self) -> usize {
        let owned = self.owned.iter().map(|(_, contents)| contents.len());
        self.rest.len() + owned.sum::<usize>()
    }

    /// Returns the memory of the fields, typed contents and copied texts while the message is
    /// decoded. `None` if it has too many fields, parameters and dimensions.
    pub fn elements(&self) -> Option<usize> {
        if self.fields > MAX_FIELDS {
            return None;
        }
        let extent = Extent::of(&self.rest);
        (extent.fields <= MAX_FIELDS).then(|| extent.bytes().saturating_add(self.rest.len()))
    }

    /// Decodes the complete message.
    ///
    /// # Errors
    ///
    /// Returns prost's error if the message is invalid.
    pub fn decode(mut self) -> Result<ModelInferRequest, DecodeError> {
        if let Place::Own(buffer, missing) = self.place {
            // The message is truncated, which prost reports.
            self.rest.pop();
            encode_varint((buffer.len() + missing) as u64, &mut self.rest);
            self.rest.extend_from_slice(&buffer.freeze());
        }
        let mut message = ModelInferRequest::decode(Bytes::from(self.rest))?;
        for (index, contents) in self.owned {
            if let Some(empty) = message.raw_input_contents.get_mut(index) {
                *empty = contents;
            }
        }
        Ok(message)
    }

    /// Returns the place after a byte of a number.
    fn behind(&mut self, place: Place, byte: u8) -> Place {
        match place {
            Place::Key(mut key) => match key.push(byte) {
                Some(value) => {
                    self.fields += 1;
                    match self.fields > MAX_FIELDS {
                        true => Place::Beyond,
                        false => Place::behind_key(value),
                    }
                }
                None if key.is_full() => Place::Beyond,
                None => Place::Key(key),
            },
            Place::Length(mut length, raw) => match length.push(byte) {
                Some(value) => self.begin(length, value, raw),
                None if length.is_full() => Place::Beyond,
                None => Place::Length(length, raw),
            },
            Place::Value if byte < 0x80 => Place::KEY,
            place => place,
        }
    }

    /// Begins a field of `value` bytes.
    fn begin(&mut self, length: Varint, value: u64, raw: bool) -> Place {
        self.raw += usize::from(raw);
        let bytes = usize::try_from(value).unwrap_or(usize::MAX);
        if bytes > self.longest {
            return Place::field(value);
        }
        if !raw || !(OWN..=MOST_OWN).contains(&bytes) {
            self.rest.reserve(bytes.min(AHEAD));
            return Place::field(value);
        }
        // If the allocation fails, the contents are collected like other fields.
        let Ok(buffer) = AlignedBuffer::try_with_capacity(bytes, 0) else {
            return Place::field(value);
        };
        self.rest.truncate(self.rest.len() - length.len());
        self.rest.push(0);
        Place::Own(buffer, bytes)
    }

    fn own(&mut self, buffer: AlignedBuffer, missing: usize) -> Place {
        if missing > 0 {
            return Place::Own(buffer, missing);
        }
        self.owned.push((self.raw - 1, buffer.freeze()));
        Place::KEY
    }
}

impl Place {
    const KEY: Self = Self::Key(Varint::EMPTY);

    fn behind_key(key: u64) -> Self {
        match key & 7 {
            0 => Self::Value,
            1 => Self::Field(8),
            2 => Self::Length(Varint::EMPTY, key >> 3 == RAW),
            5 => Self::Field(4),
            _ => Self::Beyond,
        }
    }

    fn field(missing: u64) -> Self {
        match missing {
            0 => Self::KEY,
            missing => Self::Field(missing),
        }
    }
}
