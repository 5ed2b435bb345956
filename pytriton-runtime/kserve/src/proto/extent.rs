use std::mem::size_of;

use bytes::Bytes;
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::bounded_error::BoundedError;
use super::field_count::FieldCount;

/// The contents of a message, counted without decoding it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// The fields, the parameters of inputs and outputs, and all dimensions.
    pub(super) fields: FieldCount,
    /// The memory of typed contents as list elements, in bytes.
    pub(super) elements: usize,
}

/// The content of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content<'a> {
    Bytes(&'a [u8]),
    Other,
}

impl Extent {
    /// Returns the memory that a request needs while it is decoded and its elements are encoded.
    /// Lists grow by doubling, and elements exist in both forms.
    ///
    /// # Errors
    ///
    /// Returns [`BoundedError::Fields`] if there are too many fields.
    pub(super) fn bytes(self) -> Result<usize, BoundedError> {
        let fields = self.fields.within_limit()?;
        let elements = self.elements.saturating_mul(4);
        Ok(elements.saturating_add(fields * FIELD_BYTES))
    }

    /// Measures an encoded request. In an invalid request, only the part before the error counts,
    /// because nothing after it is read.
    pub(super) fn of(message: &[u8]) -> Self {
        let mut extent = Self::default();
        // Prost reports the error.
        let _ = walk(message, |field, content| {
            extent.fields.add(1);
            match (field, content) {
                (INPUTS, Content::Bytes(input)) => extent.input(input),
                (OUTPUTS, Content::Bytes(output)) => walk(output, |field, _| {
                    extent.fields.add(usize::from(field == OUTPUT_PARAMETERS));
                    Ok(())
                }),
                _ => Ok(()),
            }
        });
        extent
    }

    fn input(&mut self, input: &[u8]) -> Result<(), DecodeError> {
        walk(input, |field, content| {
            match (field, content) {
                (SHAPE, Content::Bytes(dims)) => self.fields.add(numbers(dims)),
                (SHAPE | INPUT_PARAMETERS, _) => self.fields.add(1),
                (CONTENTS, Content::Bytes(contents)) => self.contents(contents)?,
                _ => {}
            }
            Ok(())
        })
    }

    fn contents(&mut self, contents: &[u8]) -> Result<(), DecodeError> {
        walk(contents, |field, content| {
            self.elements += match (field, content) {
                (BYTES_CONTENTS, Content::Bytes(element)) => size_of::<Bytes>() + element.len(),
                (INT_CONTENTS | UINT_CONTENTS, Content::Bytes(packed)) => 4 * numbers(packed),
                (INT64_CONTENTS | UINT64_CONTENTS, Content::Bytes(packed)) => 8 * numbers(packed),
                // Other types take as much memory as space in the message.
                (_, Content::Bytes(packed)) => packed.len(),
                (_, Content::Other) => 8,
            };
            Ok(())
        })
    }
}

/// Counts the varints in a packed field.
fn numbers(packed: &[u8]) -> usize {
    packed.iter().filter(|byte| **byte < 0x80).count()
}

/// Visits the fields of a message up to the first error.
pub(super) fn walk<'a>(
    mut message: &'a [u8],
    mut show: impl FnMut(u32, Content<'a>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    while !message.is_empty() {
        let (field, kind) = decode_key(&mut message)?;
        let content = match kind {
            WireType::LengthDelimited => {
                let length = decode_varint(&mut message)?;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let length = length.min(message.len());
                let (content, rest) = message.split_at(length);
                message = rest;
                Content::Bytes(content)
            }
            kind => {
                skip_field(kind, field, &mut message, DecodeContext::default())?;
                Content::Other
            }
        };
        show(field, content)?;
    }
    Ok(())
}

/// The maximum memory of a field in addition to its bytes. Examples are an input in a list that
/// grows by doubling, or a parameter and its entry in a map.
const FIELD_BYTES: usize = 640;

const INPUTS: u32 = 5;
const OUTPUTS: u32 = 6;
const SHAPE: u32 = 3;
const INPUT_PARAMETERS: u32 = 4;
const CONTENTS: u32 = 5;
const OUTPUT_PARAMETERS: u32 = 2;
const INT_CONTENTS: u32 = 2;
const INT64_CONTENTS: u32 = 3;
const UINT_CONTENTS: u32 = 4;
const UINT64_CONTENTS: u32 = 5;
const BYTES_CONTENTS: u32 = 8;
