use std::fmt::Write;

use pytriton_protocol::tensor::{BytesElements, DataType, Tensor, numbers};

/// The maximum size of a tensor's elements that are written as text.
const MAX_DATA_BYTES: usize = 64 << 10;

/// The maximum memory for the text of a tensor and its shape while it is built: a string grows by
/// doubling.
pub(super) const MAX_TEXT_BYTES: usize = 8 * MAX_DATA_BYTES;

/// Returns the elements of a tensor, separated by commas. 16-bit floats are omitted, as in Triton.
pub(super) fn elements_text(tensor: &Tensor) -> String {
    macro_rules! numbers {
        ($rust:ty) => {
            joined(numbers::<$rust>(tensor.data()))
        };
    }
    match tensor.datatype() {
        DataType::Bool => joined(tensor.data().iter()),
        DataType::Uint8 => numbers!(u8),
        DataType::Uint16 => numbers!(u16),
        DataType::Uint32 => numbers!(u32),
        DataType::Uint64 => numbers!(u64),
        DataType::Int8 => numbers!(i8),
        DataType::Int16 => numbers!(i16),
        DataType::Int32 => numbers!(i32),
        DataType::Int64 => numbers!(i64),
        DataType::Fp32 => numbers!(f32),
        DataType::Fp64 => numbers!(f64),
        DataType::Fp16 | DataType::Bf16 => String::new(),
        DataType::Bytes => {
            let elements = BytesElements::new(tensor.data());
            let texts = elements.map_while(Result::ok);
            joined(texts.map(|text| {
                let text = text.get(..MAX_DATA_BYTES).unwrap_or(text);
                format!("\"{}\"", String::from_utf8_lossy(text))
            }))
        }
    }
}

fn joined(elements: impl Iterator<Item: std::fmt::Display>) -> String {
    let mut text = String::new();
    for element in elements {
        if text.len() > MAX_DATA_BYTES {
            text.push('…');
            break;
        }
        if !text.is_empty() {
            text.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{element}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_text_is_truncated() {
        let few = Tensor::from_elements(vec![3], vec![1_i32, -2, 3]).unwrap();
        assert_eq!(elements_text(&few), "1,-2,3");
        let many = Tensor::from_elements(vec![1 << 20], vec![7_u8; 1 << 20]).unwrap();
        let text = elements_text(&many);
        assert!(text.len() < MAX_DATA_BYTES + 16 && text.ends_with('…'));
    }
}
