use std::collections::HashSet;
use std::sync::Arc;

use crate::model::ModelSpec;
use crate::tensor::{BytesElements, DataType, Element, Tensor};
use crate::text::excerpt;
use crate::tracked_tensor::TrackedTensor;

use super::StepError;

/// `#[first_value]`: returns the first row of an input without the batch axis, or the input itself
/// if it has no rows.
pub(crate) fn first_row(
    model: &ModelSpec,
    input: usize,
    tensor: &TrackedTensor,
    strict: bool,
) -> Result<TrackedTensor, StepError> {
    let error = |source| StepError::input(model, input, source);
    if tensor.rows() == 0 {
        return Ok(tensor.clone());
    }
    let first = tensor.rows_from(0, 1).map_err(error)?;
    if strict && !repeats(tensor, first.data()) {
        let rows = tensor.split(&vec![1; tensor.rows()]).map_err(error)?;
        return Err(StepError::DifferentValues {
            model: Arc::clone(&model.name),
            input: Arc::clone(&model.inputs[input].name),
            values: distinct(&rows),
        });
    }
    first.reshaped(&first.shape()[1..]).map_err(error)
}

/// Returns whether all rows have these bytes.
fn repeats(tensor: &Tensor, row: &[u8]) -> bool {
    let data = tensor.data();
    Some(data.len()) == row.len().checked_mul(tensor.rows())
        && data
            .chunks_exact(row.len().max(1))
            .all(|other| other == row)
}

/// The maximum number of values, and of elements of each value, in a message.
const SHOWN: usize = 8;

/// Formats the distinct rows in order of first occurrence.
fn distinct(rows: &[TrackedTensor]) -> String {
    let mut known = HashSet::new();
    let mut seen: Vec<&Tensor> = rows.iter().map(|row| &**row).collect();
    seen.retain(|row| known.insert(row.data()));
    let mut texts: Vec<String> = seen.iter().take(SHOWN).map(|row| row_text(row)).collect();
    if seen.len() > SHOWN {
        texts.push(format!("and {} more", seen.len() - SHOWN));
    }
    texts.join(", ")
}

fn row_text(row: &Tensor) -> String {
    let mut texts = element_texts(row);
    if texts.len() == 1 {
        return texts.remove(0);
    }
    if texts.len() > SHOWN {
        texts.truncate(SHOWN);
        texts.push("…".to_owned());
    }
    format!("[{}]", texts.join(", "))
}

/// Formats the elements that are shown, and one more if there are more.
fn element_texts(row: &Tensor) -> Vec<String> {
    match row.datatype() {
        DataType::Bool => texts::<bool>(row),
        DataType::Uint8 => texts::<u8>(row),
        DataType::Uint16 => texts::<u16>(row),
        DataType::Uint32 => texts::<u32>(row),
        DataType::Uint64 => texts::<u64>(row),
        DataType::Int8 => texts::<i8>(row),
        DataType::Int16 => texts::<i16>(row),
        DataType::Int32 => texts::<i32>(row),
        DataType::Int64 => texts::<i64>(row),
        DataType::Fp16 => texts::<half::f16>(row),
        DataType::Bf16 => texts::<half::bf16>(row),
        DataType::Fp32 => texts::<f32>(row),
        DataType::Fp64 => texts::<f64>(row),
        DataType::Bytes => BytesElements::new(row.data())
            .map_while(Result::ok)
            .take(SHOWN + 1)
            .map(|element| format!("\"{}\"", excerpt(&element.escape_ascii())))
            .collect(),
    }
}

fn texts<T: Element + ToString>(row: &Tensor) -> Vec<String> {
    let data = row.data();
    let shown = data.len().min((SHOWN + 1) * size_of::<T>());
    let shown = data.slice(..shown);
    let elements = T::decode(&shown).unwrap_or_default();
    elements.iter().map(T::to_string).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::testing::heap::peak;
    use crate::testing::{IDENTITY, computing};

    use super::*;

    /// Applies `#[first_value]` to an input.
    fn first(tensor: &Tensor, strict: bool) -> Result<Tensor, String> {
        let spec = IDENTITY.spec().unwrap();
        let first = first_row(&spec, 0, &tensor.clone().into(), strict);
        let first = first.map(TrackedTensor::into_tensor);
        first.map_err(|error| error.to_string())
    }

    fn numbers(rows: &[[i32; 2]]) -> Tensor {
        Tensor::from_elements(vec![rows.len(), 2], rows.concat()).unwrap()
    }

    fn strings(rows: &[&str]) -> Tensor {
        let elements = rows.iter().map(|row| row.as_bytes().to_vec()).collect();
        Tensor::from_elements(vec![rows.len(), 1], elements).unwrap()
    }

    #[test]
    fn rows_with_several_values_are_an_error_that_lists_them() {
        let error = |values| {
            let text =
                "input 'INPUT_1' of model 'Identity' must have one value for the whole batch";
            Err(format!("{text}, found {values}"))
        };
        let pair = Tensor::from_elements(vec![2], vec![1, 2]).unwrap();
        let word = Tensor::from_elements(vec![1], vec![b"ab".to_vec()]).unwrap();
        let table = [
            (numbers(&[[1, 2]]), Ok(pair.clone())),
            (numbers(&[[1, 2]; 5]), Ok(pair.clone())),
            (numbers(&[[1, 2], [1, 3]]), error("[1, 2], [1, 3]")),
            (numbers(&[[2, 1], [1, 2], [1, 2]]), error("[2, 1], [1, 2]")),
            (numbers(&[[1, 2], [2, 1], [1, 2]]), error("[1, 2], [2, 1]")),
            (strings(&["ab", "ab"]), Ok(word.clone())),
            (strings(&["ab", "ac"]), error("\"ab\", \"ac\"")),
            // As many bytes as two equal rows, and fewer.
            (strings(&["ab", "c"]), error("\"ab\", \"c\"")),
            (strings(&["", "abcd"]), error("\"\", \"abcd\"")),
        ];
        for (tensor, expected) in table {
            assert_eq!(first(&tensor, true), expected);
            let rows = tensor.rows();
            assert!(first(&tensor, false).is_ok(), "{rows}");
        }
        let nothing = Tensor::from_elements::<i32>(vec![3, 0], Vec::new()).unwrap();
        assert_eq!(first(&nothing, true).unwrap().shape(), [0]);
    }

    #[test]
    fn only_displayed_elements_are_formatted() {
        let of_bytes = |bytes| Tensor::new(DataType::Bytes, vec![2, 1], bytes);
        let texts = vec!["é".repeat(1 << 20), String::new()];
        let texts = String::encode(texts).and_then(of_bytes).unwrap();
        let numbers = |length: usize| {
            let numbers = (0..2 * length).map(|number| number as f32).collect();
            Tensor::from_elements(vec![2, length], numbers).unwrap()
        };
        for tensor in [texts, numbers(8), numbers(9), numbers(1 << 20)] {
            let (error, peak) = peak(|| first(&tensor, true).unwrap_err());
            assert!(peak < 16 << 10, "{peak} {error}");
        }
        let error = first(&numbers(9), true).unwrap_err();
        assert!(error.contains("[0, 1, 2, 3, 4, 5, 6, 7, …]"), "{error}");
    }

    #[test]
    fn comparing_rows_takes_linear_time() {
        let took = computing(|| {
            let same = vec![[7, 7]; 200_000];
            assert!(first(&numbers(&same), true).is_ok());
            let different: Vec<[i32; 2]> = (0..200_000).map(|number| [number, 0]).collect();
            let error = first(&numbers(&different), true).unwrap_err();
            assert!(error.ends_with("[7, 0], and 199992 more"), "{error}");
        });
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
