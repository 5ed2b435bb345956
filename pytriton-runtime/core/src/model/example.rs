use crate::tensor::DataType;

/// Sample values for one row of an input, as source text.
pub type Example = &'static [&'static str];

/// The reason why these values are not a row of a tensor with this datatype and these dimensions,
/// which may be unknown.
pub(crate) const fn example_flaw(
    datatype: DataType,
    dims: Option<&[i64]>,
    elements: &[&str],
) -> Option<&'static str> {
    let mut index = 0;
    while index < elements.len() {
        if !is_element(datatype, elements[index]) {
            return Some("an element of the example does not have the input's type");
        }
        index += 1;
    }
    match dims {
        Some(dims) if !fits(dims, elements.len()) => {
            Some("the number of elements must match the input's dims, without the batch axis")
        }
        _ => None,
    }
}

/// Whether this number of elements fits the dimensions, in which -1 means any size.
pub(super) const fn fits(dims: &[i64], elements: usize) -> bool {
    let (mut fixed, mut open, mut index) = (1_i128, false, 0);
    while index < dims.len() {
        match dims[index] {
            0.. => fixed = fixed.saturating_mul(dims[index] as i128),
            _ => open = true,
        }
        index += 1;
    }
    let elements = elements as i128;
    match open {
        true => fixed > 0 && elements % fixed == 0,
        false => elements == fixed,
    }
}

const fn is_element(datatype: DataType, text: &str) -> bool {
    let (least, most) = match datatype {
        DataType::Bytes => return true,
        DataType::Bool => return matches!(text.as_bytes(), b"true" | b"false"),
        DataType::Fp16 | DataType::Bf16 | DataType::Fp32 | DataType::Fp64 => {
            return is_number(text.as_bytes());
        }
        DataType::Int8 => (i8::MIN as i128, i8::MAX as i128),
        DataType::Int16 => (i16::MIN as i128, i16::MAX as i128),
        DataType::Int32 => (i32::MIN as i128, i32::MAX as i128),
        DataType::Int64 => (i64::MIN as i128, i64::MAX as i128),
        DataType::Uint8 => (0, u8::MAX as i128),
        DataType::Uint16 => (0, u16::MAX as i128),
        DataType::Uint32 => (0, u32::MAX as i128),
        DataType::Uint64 => (0, u64::MAX as i128),
    };
    match i128::from_str_radix(text, 10) {
        Ok(number) => least <= number && number <= most,
        Err(_) => false,
    }
}

/// Whether a text is a number in Rust's and JSON's notation; checks only the characters, because
/// constants cannot parse it.
const fn is_number(text: &[u8]) -> bool {
    let (mut digits, mut index) = (0, 0);
    while index < text.len() {
        match text[index] {
            b'0'..=b'9' => digits += 1,
            b'-' | b'+' | b'.' | b'e' | b'E' => {}
            _ => return false,
        }
        index += 1;
    }
    digits > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_must_match_the_datatype() {
        let table = [
            (DataType::Bytes, "", true),
            (DataType::Bool, "true", true),
            (DataType::Bool, "1", false),
            (DataType::Int8, "-128", true),
            (DataType::Int8, "128", false),
            (DataType::Uint8, "-1", false),
            (DataType::Uint64, "18446744073709551615", true),
            (DataType::Int32, "1.0", false),
            (DataType::Fp32, "1", true),
            (DataType::Fp64, "-1.5e-3", true),
            (DataType::Fp32, "NaN", false),
            (DataType::Bf16, "", false),
        ];
        for (datatype, text, expected) in table {
            let flaw = example_flaw(datatype, None, &[text]);
            assert_eq!(flaw.is_none(), expected, "{datatype} {text}");
        }
    }

    #[test]
    fn number_of_elements_must_match_the_shape() {
        let table: [(&[i64], usize, bool); 7] = [
            (&[2], 2, true),
            (&[2], 3, false),
            (&[-1], 0, true),
            (&[-1], 5, true),
            (&[2, -1], 4, true),
            (&[2, -1], 5, false),
            (&[0, -1], 1, false),
        ];
        for (dims, elements, expected) in table {
            let elements = vec!["1"; elements];
            let flaw = example_flaw(DataType::Fp32, Some(dims), &elements);
            assert_eq!(flaw.is_none(), expected, "{dims:?} {elements:?}");
        }
    }
}
