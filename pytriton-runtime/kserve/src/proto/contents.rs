use std::sync::Arc;

use bytes::Bytes;
use pytriton_core::text::excerpt;
use pytriton_protocol::proto::InferTensorContents;
use pytriton_protocol::tensor::{DataType, Element, TensorError, encode_bytes_elements};

use crate::error::ProtoError;

/// An input whose elements are protobuf numbers.
#[derive(Debug)]
pub(super) struct TypedInput<'a> {
    pub(super) name: &'a str,
    pub(super) model: &'a Arc<str>,
    /// `None` for an unknown element type.
    pub(super) datatype: Option<DataType>,
}

impl TypedInput<'_> {
    /// Returns the bytes of the only field that is set, or no bytes if none is.
    pub(super) fn bytes(&self, contents: InferTensorContents) -> Result<Bytes, ProtoError> {
        let InferTensorContents {
            bool_contents,
            int_contents,
            int64_contents,
            uint_contents,
            uint64_contents,
            fp32_contents,
            fp64_contents,
            bytes_contents,
        } = contents;
        let mut data = Bytes::new();
        self.fill(&mut data, DataType::Bool, bool_contents, Element::encode)?;
        match self.datatype {
            Some(DataType::Int8) => self.narrow::<i32, i8>(&mut data, int_contents)?,
            Some(DataType::Int16) => self.narrow::<i32, i16>(&mut data, int_contents)?,
            _ => self.fill(&mut data, DataType::Int32, int_contents, Element::encode)?,
        }
        self.fill(&mut data, DataType::Int64, int64_contents, Element::encode)?;
        match self.datatype {
            Some(DataType::Uint8) => self.narrow::<u32, u8>(&mut data, uint_contents)?,
            Some(DataType::Uint16) => self.narrow::<u32, u16>(&mut data, uint_contents)?,
            _ => self.fill(&mut data, DataType::Uint32, uint_contents, Element::encode)?,
        }
        self.fill(
            &mut data,
            DataType::Uint64,
            uint64_contents,
            Element::encode,
        )?;
        self.fill(&mut data, DataType::Fp32, fp32_contents, Element::encode)?;
        self.fill(&mut data, DataType::Fp64, fp64_contents, Element::encode)?;
        self.fill(&mut data, DataType::Bytes, bytes_contents, |elements| {
            encode_bytes_elements(elements.iter().map(|element| &element[..]))
        })?;
        Ok(data)
    }

    /// Converts the elements of one field, which must be the only one and match the element type.
    fn fill<T>(
        &self,
        data: &mut Bytes,
        field: DataType,
        elements: Vec<T>,
        encode: impl FnOnce(Vec<T>) -> Result<Bytes, TensorError>,
    ) -> Result<(), ProtoError> {
        if elements.is_empty() {
            return Ok(());
        }
        let input = || excerpt(self.name);
        let model = Arc::clone(self.model);
        if !data.is_empty() {
            let input = input();
            return Err(ProtoError::ContentsTwice { input, model });
        }
        if self.datatype != Some(field) {
            return Err(ProtoError::ContentsType {
                input: input(),
                model,
                found: field,
                expected: self.datatype,
            });
        }
        *data = encode(elements).map_err(|source| ProtoError::Contents {
            input: input(),
            model,
            source,
        })?;
        Ok(())
    }
    /// Converts numbers of a wider type. Triton truncates values that do not fit.
    fn narrow<W, T>(&self, data: &mut Bytes, numbers: Vec<W>) -> Result<(), ProtoError>
    where
        W: Copy + Into<i64>,
        T: Element + TryFrom<W>,
    {
        self.fill(data, T::DATATYPE, numbers, |numbers| {
            let numbers = numbers.iter().enumerate();
            let narrow = numbers.map(|(index, &number)| {
                T::try_from(number).map_err(|_| TensorError::OutOfRange {
                    datatype: T::DATATYPE,
                    index,
                    value: number.into(),
                })
            });
            T::encode(narrow.collect::<Result<_, _>>()?)
        })
    }
}
