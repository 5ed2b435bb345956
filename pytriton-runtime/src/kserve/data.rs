use bytes::{Bytes, BytesMut};

use crate::tensor::{DataType, Element, element_count, push_bytes_element, shape_text};
use crate::text::excerpt;

use super::CodecError;
use super::json::{Flat, Token, Value};

/// The `data` member of an input: a JSON array, still text.
#[derive(Debug)]
pub(super) struct JsonData<'a> {
    pub(super) input: &'a str,
    pub(super) datatype: DataType,
    pub(super) shape: &'a [i64],
    pub(super) text: &'a str,
    pub(super) max_depth: usize,
}

/// `-0` is an integer, though Rust's unsigned ones do not read it.
macro_rules! integer {
    ($rust:ty) => {
        |text: &str| {
            text.parse::<$rust>()
                .ok()
                .or_else(|| (text == "-0").then_some(0))
        }
    };
}

/// A number that only infinity could stand for is no number of that type.
macro_rules! float {
    ($rust:ty) => {
        |text: &str| text.parse::<$rust>().ok().filter(|value| value.is_finite())
    };
}

impl JsonData<'_> {
    /// Reads the elements, nested as they may be, into a tensor's bytes.
    pub(super) fn decode(&self) -> Result<Bytes, CodecError> {
        match self.datatype {
            DataType::Bool => self.plain("BOOL values", |text| text.parse::<bool>().ok()),
            DataType::Uint8 => self.plain("UINT8 integers from 0 to 255", integer!(u8)),
            DataType::Uint16 => self.plain("UINT16 integers from 0 to 65535", integer!(u16)),
            DataType::Uint32 => self.plain("UINT32 integers from 0 to 4294967295", integer!(u32)),
            DataType::Uint64 => self.plain(
                "UINT64 integers from 0 to 18446744073709551615",
                integer!(u64),
            ),
            DataType::Int8 => self.plain("INT8 integers from -128 to 127", integer!(i8)),
            DataType::Int16 => self.plain("INT16 integers from -32768 to 32767", integer!(i16)),
            DataType::Int32 => self.plain(
                "INT32 integers from -2147483648 to 2147483647",
                integer!(i32),
            ),
            DataType::Int64 => self.plain(
                "INT64 integers from -9223372036854775808 to 9223372036854775807",
                integer!(i64),
            ),
            DataType::Fp32 => self.plain("FP32 numbers", float!(f32)),
            DataType::Fp64 => self.plain("FP64 numbers", float!(f64)),
            DataType::Bytes => self.strings(),
            DataType::Fp16 | DataType::Bf16 => Err(CodecError::JsonInput {
                input: excerpt(self.input),
                datatype: self.datatype,
            }),
        }
    }

    fn plain<T: Element>(
        &self,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Bytes, CodecError> {
        let count = self.count()?;
        // An element takes two bytes of text at least, so that a shape alone claims no memory.
        let mut elements = Vec::with_capacity(count.min(self.text.len() / 2 + 1));
        for token in self.tokens() {
            let token = token?;
            let element = match token {
                Token::Plain(text) => read(text),
                Token::String(_) | Token::Object => None,
            };
            elements.push(element.ok_or_else(|| self.element_error(expected, token))?);
        }
        if elements.len() != count {
            return Err(CodecError::ElementCount {
                input: excerpt(self.input),
                shape: shape_text(self.shape),
                expected: count,
                got: elements.len(),
            });
        }
        T::encode(elements).map_err(|source| self.tensor_error(source))
    }

    /// Strings are counted when the request is checked, as binary ones are.
    fn strings(&self) -> Result<Bytes, CodecError> {
        let mut buffer = BytesMut::with_capacity(self.text.len());
        for (index, token) in self.tokens().enumerate() {
            let token = token?;
            let string = match token {
                Token::String(text) => Value::from_text(text).string(),
                Token::Plain(_) | Token::Object => None,
            };
            let string = string.ok_or_else(|| self.element_error("BYTES strings", token))?;
            push_bytes_element(&mut buffer, index, string.as_bytes())
                .map_err(|source| self.tensor_error(source))?;
        }
        Ok(buffer.freeze())
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
        // Only what does not fit `usize` is lost here, and then it does not fit memory either.
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

    fn tensor_error(&self, source: crate::tensor::TensorError) -> CodecError {
        CodecError::Data {
            input: excerpt(self.input),
            source,
        }
    }
}
