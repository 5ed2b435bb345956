use bytes::Bytes;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::excerpt;
use pytriton_protocol::tensor::{DataType, Element, TensorError, element_count, shape_text};

use crate::error::CodecError;
use crate::json::{Flat, Token, unescape};

/// The `data` member of an input: a JSON array, as text.
#[derive(Debug)]
pub(crate) struct JsonData<'a> {
    pub(crate) input: &'a str,
    pub(crate) datatype: DataType,
    pub(crate) shape: &'a [i64],
    pub(crate) text: &'a str,
    pub(crate) max_depth: usize,
}

/// `-0` is a valid integer, although Rust does not parse it as unsigned.
macro_rules! integer {
    ($rust:ty) => {
        |text: &str| {
            text.parse::<$rust>()
                .ok()
                .or_else(|| (text == "-0").then_some(0))
        }
    };
}

/// A number that overflows to infinity is not valid for the type.
macro_rules! float {
    ($rust:ty) => {
        |text: &str| text.parse::<$rust>().ok().filter(|value| value.is_finite())
    };
}

impl JsonData<'_> {
    /// Parses the elements, regardless of their nesting, into the bytes of a tensor. Memory is
    /// reserved with `permit` first.
    pub(crate) fn decode(&self, permit: &mut MemoryPermit) -> Result<Bytes, CodecError> {
        match self.datatype {
            DataType::Bool => self.plain(permit, "BOOL values", |text| text.parse::<bool>().ok()),
            DataType::Uint8 => self.plain(permit, "UINT8 integers from 0 to 255", integer!(u8)),
            DataType::Uint16 => {
                self.plain(permit, "UINT16 integers from 0 to 65535", integer!(u16))
            }
            DataType::Uint32 => self.plain(
                permit,
                "UINT32 integers from 0 to 4294967295",
                integer!(u32),
            ),
            DataType::Uint64 => self.plain(
                permit,
                "UINT64 integers from 0 to 18446744073709551615",
                integer!(u64),
            ),
            DataType::Int8 => self.plain(permit, "INT8 integers from -128 to 127", integer!(i8)),
            DataType::Int16 => {
                self.plain(permit, "INT16 integers from -32768 to 32767", integer!(i16))
            }
            DataType::Int32 => self.plain(
                permit,
                "INT32 integers from -2147483648 to 2147483647",
                integer!(i32),
            ),
            DataType::Int64 => self.plain(
                permit,
                "INT64 integers from -9223372036854775808 to 9223372036854775807",
                integer!(i64),
            ),
            DataType::Fp32 => self.plain(permit, "FP32 numbers", float!(f32)),
            DataType::Fp64 => self.plain(permit, "FP64 numbers", float!(f64)),
            DataType::Bytes => self.strings(permit),
            DataType::Fp16 | DataType::Bf16 => Err(CodecError::JsonInput {
                input: excerpt(self.input),
                datatype: self.datatype,
            }),
        }
    }

    fn plain<T: Element>(
        &self,
        permit: &mut MemoryPermit,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Bytes, CodecError> {
        permit.grow(size_of_val(self.shape))?;
        let count = self.count()?;
        // An element takes at least two bytes of text, so that the shape alone cannot claim memory.
        let most = count.min(self.text.len() / 2 + 1);
        permit.grow(most.saturating_mul(size_of::<T>()))?;
        let mut elements = Vec::with_capacity(most);
        let mut got = 0;
        for token in self.tokens() {
            let token = token?;
            let element = match token {
                Token::Plain(text) => read(text),
                Token::String(_) | Token::Object => None,
            };
            let element = element.ok_or_else(|| self.element_error(expected, token))?;
            got += 1;
            // Excess elements are only counted.
            if elements.len() < most {
                elements.push(element);
            }
        }
        if got != count {
            return Err(CodecError::ElementCount {
                input: excerpt(self.input),
                shape: shape_text(self.shape),
                expected: count,
                got,
            });
        }
        T::encode(elements).map_err(|source| self.tensor_error(source))
    }

    /// Parses strings. Their number is checked later, like that of binary strings. Unescaping never
    /// makes a string longer.
    fn strings(&self, permit: &mut MemoryPermit) -> Result<Bytes, CodecError> {
        const PREFIX: usize = size_of::<u32>();
        let bytes = self
            .tokens()
            .map_while(Result::ok)
            .map(|token| match token {
                Token::String(text) => PREFIX + text.len(),
                Token::Plain(_) | Token::Object => 0,
            });
        let bytes = bytes.sum();
        permit.grow(bytes)?;
        let mut buffer = Vec::with_capacity(bytes);
        for (index, token) in self.tokens().enumerate() {
            let token = token?;
            let begin = buffer.len();
            buffer.extend_from_slice(&[0; PREFIX]);
            let text = match token {
                Token::String(text) => text.get(1..text.len() - 1),
                Token::Plain(_) | Token::Object => None,
            };
            let read = text.and_then(|text| {
                unescape(text, |piece| buffer.extend_from_slice(piece.as_bytes()))
            });
            read.ok_or_else(|| self.element_error("BYTES strings", token))?;
            let length = buffer.len() - begin - PREFIX;
            let prefix = u32::try_from(length)
                .map_err(|_| self.tensor_error(TensorError::ElementTooLong { index, length }))?;
            buffer[begin..begin + PREFIX].copy_from_slice(&prefix.to_le_bytes());
        }
        buffer.shrink_to_fit();
        Ok(Bytes::from(buffer))
    }

    fn tokens(&self) -> impl Iterator<Item = Result<Token<'_>, CodecError>> {
        Flat::new(self.text, self.max_depth).map(|token| {
            token.map_err(|_| CodecError::Depth {
                input: excerpt(self.input),
                limit: self.max_depth,
            })
        })
    }

    fn count(&self) -> Result<usize, CodecError> {
        // Dimensions that do not fit `usize` do not fit in memory either.
        let sizes: Vec<usize> = self
            .shape
            .iter()
            .map(|&dim| usize::try_from(dim).unwrap_or(usize::MAX))
            .collect();
        element_count(&sizes).map_err(|source| self.tensor_error(source))
    }

    fn element_error(&self, expected: &'static str, token: Token<'_>) -> CodecError {
        CodecError::Element {
            input: excerpt(self.input),
            expected,
            found: token.describe(),
        }
    }

    fn tensor_error(&self, source: TensorError) -> CodecError {
        CodecError::Data {
            input: excerpt(self.input),
            source,
        }
    }
}
