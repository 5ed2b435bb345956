use pytriton_protocol::proto::InferTensorContents;
use pytriton_protocol::tensor::{DataType, Element, Tensor, TensorError};

/// Converts elements from protobuf's typed fields.
pub(super) fn tensor(
    datatype: DataType,
    shape: Vec<usize>,
    contents: InferTensorContents,
) -> Result<Tensor, TensorError> {
    match datatype {
        DataType::Bool => Tensor::from_elements(shape, contents.bool_contents),
        DataType::Uint8 => narrow::<_, u8>(shape, contents.uint_contents),
        DataType::Uint16 => narrow::<_, u16>(shape, contents.uint_contents),
        DataType::Uint32 => Tensor::from_elements(shape, contents.uint_contents),
        DataType::Uint64 => Tensor::from_elements(shape, contents.uint64_contents),
        DataType::Int8 => narrow::<_, i8>(shape, contents.int_contents),
        DataType::Int16 => narrow::<_, i16>(shape, contents.int_contents),
        DataType::Int32 => Tensor::from_elements(shape, contents.int_contents),
        DataType::Int64 => Tensor::from_elements(shape, contents.int64_contents),
        DataType::Fp32 => Tensor::from_elements(shape, contents.fp32_contents),
        DataType::Fp64 => Tensor::from_elements(shape, contents.fp64_contents),
        DataType::Bytes => {
            let elements = contents.bytes_contents.iter();
            Tensor::from_elements(shape, elements.map(|element| element.to_vec()).collect())
        }
        // Protobuf has no such numbers.
        DataType::Fp16 | DataType::Bf16 => Err(TensorError::Missing),
    }
}

fn narrow<W: Copy + Into<i64>, T: Element + TryFrom<W>>(
    shape: Vec<usize>,
    numbers: Vec<W>,
) -> Result<Tensor, TensorError> {
    let numbers = numbers.into_iter().enumerate();
    let narrow = numbers.map(|(index, number)| {
        T::try_from(number).map_err(|_| TensorError::OutOfRange {
            datatype: T::DATATYPE,
            index,
            value: number.into(),
        })
    });
    Tensor::from_elements(shape, narrow.collect::<Result<Vec<T>, _>>()?)
}
