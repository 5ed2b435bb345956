use bytemuck::NoUninit;
use bytes::Bytes;

use crate::proto::InferTensorContents;
use crate::tensor::{DataType, Element, TensorError, encode_bytes_elements};

use super::ProtoError;

/// An input whose elements come as protobuf numbers.
#[derive(Debug)]
pub(super) struct TypedInput<'a> {
    pub(super) name: &'a str,
    pub(super) model: &'static str,
    /// `None` for an element type that there is not.
    pub(super) datatype: Option<DataType>,
}

impl TypedInput<'_> {
    /// The bytes of the one field that is filled; none when none is.
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
        let int = match self.datatype {
            Some(narrow @ (DataType::Int8 | DataType::Int16)) => narrow,
            _ => DataType::Int32,
        };
        self.fill(&mut data, int, int_contents, |numbers| {
            Ok(low_bytes(&numbers, int))
        })?;
        self.fill(&mut data, DataType::Int64, int64_contents, Element::encode)?;
        let uint = match self.datatype {
            Some(narrow @ (DataType::Uint8 | DataType::Uint16)) => narrow,
            _ => DataType::Uint32,
        };
        self.fill(&mut data, uint, uint_contents, |numbers| {
            Ok(low_bytes(&numbers, uint))
        })?;
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

    /// Takes the elements of one field, which must be the only one and that of the input's element type.
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
        let input = self.name.to_owned();
        let model = self.model;
        if !data.is_empty() {
            return Err(ProtoError::ContentsTwice { input, model });
        }
        if self.datatype != Some(field) {
            return Err(ProtoError::ContentsType {
                input,
                model,
                found: field,
                expected: self.datatype,
            });
        }
        *data = encode(elements).map_err(|source| ProtoError::Contents {
            input,
            model,
            source,
        })?;
        Ok(())
    }
}

/// As many low bytes of each number as the element type has: Triton cuts off what does not fit, as it does for JSON.
fn low_bytes<T: NoUninit>(numbers: &[T], datatype: DataType) -> Bytes {
    let width = datatype.size().unwrap_or(size_of::<T>());
    let bytes: &[u8] = bytemuck::cast_slice(numbers);
    let numbers = bytes.chunks_exact(size_of::<T>());
    numbers
        .flat_map(|number| &number[..width])
        .copied()
        .collect()
}
