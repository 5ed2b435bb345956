//! Conversion of elements of every datatype to FP64. The suites send small numbers, which FP64
//! represents exactly.

use pytriton::prelude::{bf16, f16};
use pytriton::{DataType, Error, Tensor};

macro_rules! read {
    ($tensor:expr, $element:ty) => {
        $tensor
            .elements::<$element>()?
            .iter()
            .map(|&element| f64::from(element))
            .collect()
    };
}

/// Returns the elements of a tensor; those of `BYTES` are decimal numbers.
pub(crate) fn read(tensor: &Tensor) -> Result<Vec<f64>, Error> {
    Ok(match tensor.datatype() {
        DataType::Uint8 => read!(tensor, u8),
        DataType::Uint16 => read!(tensor, u16),
        DataType::Uint32 => read!(tensor, u32),
        DataType::Int8 => read!(tensor, i8),
        DataType::Int16 => read!(tensor, i16),
        DataType::Int32 => read!(tensor, i32),
        DataType::Fp16 => read!(tensor, f16),
        DataType::Bf16 => read!(tensor, bf16),
        DataType::Fp32 => read!(tensor, f32),
        DataType::Fp64 => read!(tensor, f64),
        DataType::Int64 => {
            let elements = tensor.elements::<i64>()?;
            elements.iter().map(|&element| element as f64).collect()
        }
        DataType::Uint64 => {
            let elements = tensor.elements::<u64>()?;
            elements.iter().map(|&element| element as f64).collect()
        }
        DataType::Bool => {
            let elements = tensor.elements::<bool>()?;
            elements
                .iter()
                .map(|&element| f64::from(u8::from(element)))
                .collect()
        }
        DataType::Bytes => {
            let elements = tensor.elements::<String>()?;
            let numbers = elements.iter().map(|text| text.parse());
            numbers.collect::<Result<_, _>>()?
        }
    })
}

/// Creates a tensor of these elements; integers wrap as in NumPy.
pub(crate) fn write(datatype: DataType, shape: &[usize], values: &[f64]) -> Result<Tensor, Error> {
    macro_rules! write {
        ($convert:expr) => {
            Tensor::from_elements(
                shape.to_vec(),
                values.iter().copied().map($convert).collect(),
            )?
        };
    }
    Ok(match datatype {
        DataType::Bool => write!(|value| value != 0.0),
        DataType::Uint8 => write!(|value| value as i64 as u8),
        DataType::Uint16 => write!(|value| value as i64 as u16),
        DataType::Uint32 => write!(|value| value as i64 as u32),
        DataType::Uint64 => write!(|value| value as i64 as u64),
        DataType::Int8 => write!(|value| value as i64 as i8),
        DataType::Int16 => write!(|value| value as i64 as i16),
        DataType::Int32 => write!(|value| value as i64 as i32),
        DataType::Int64 => write!(|value| value as i64),
        DataType::Fp16 => write!(f16::from_f64),
        DataType::Bf16 => write!(bf16::from_f64),
        DataType::Fp32 => write!(|value| value as f32),
        DataType::Fp64 => write!(|value| value),
        DataType::Bytes => write!(|value| (value as i64).to_string()),
    })
}
