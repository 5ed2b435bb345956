use super::OnnxError;

/// The fields of a protobuf message that have not been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    bytes: &'a [u8],
    /// The offset of `bytes` in the file.
    offset: usize,
}

/// A field: its number and value.
pub(super) type Field<'a> = (u64, Value<'a>);

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Number(u64),
    /// A text, a list of numbers, or another message.
    Bytes(Message<'a>),
    /// A number of 4 or 8 bytes, which no field of interest has.
    Fixed,
}

impl<'a> Message<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns the bytes as text.
    pub(super) fn text(self) -> Result<&'a str, OnnxError> {
        let offset = self.offset;
        str::from_utf8(self.bytes).map_err(|_| OnnxError::NotUtf8 { offset })
    }

    fn field(&mut self) -> Result<Field<'a>, OnnxError> {
        let malformed = OnnxError::Malformed {
            offset: self.offset,
        };
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => self.skip(8)?,
            2 => {
                let length = usize::try_from(self.number()?);
                Value::Bytes(self.take(length.unwrap_or(usize::MAX))?)
            }
            5 => self.skip(4)?,
            // ONNX has no groups, and there are no other types.
            _ => return Err(malformed),
        };
        Ok((tag >> 3, value))
    }

    /// Reads a number of up to 10 bytes, each with 7 bits.
    fn number(&mut self) -> Result<u64, OnnxError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?.bytes[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        let offset = self.offset;
        Err(OnnxError::Malformed { offset })
    }

    fn skip(&mut self, length: usize) -> Result<Value<'a>, OnnxError> {
        self.take(length)?;
        Ok(Value::Fixed)
    }

    fn take(&mut self, length: usize) -> Result<Self, OnnxError> {
        let offset = self.offset;
        let malformed = OnnxError::Malformed { offset };
        let (bytes, rest) = self.bytes.split_at_checked(length).ok_or(malformed)?;
        *self = Self {
            bytes: rest,
            offset: offset + length,
        };
        Ok(Self { bytes, offset })
    }
}

/// The fields in order, up to the first error.
impl<'a> Iterator for Message<'a> {
    type Item = Result<Field<'a>, OnnxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.bytes = &[];
        }
        Some(field)
    }
}
