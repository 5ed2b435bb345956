use std::sync::Arc;

use crate::tensor::{DataType, Element, Tensor, TensorError, element_count};

use super::CodecError;

/// The `classes` largest elements of a tensor, for each row where there is a batch axis, as `BYTES` of `value:index`, or
/// `value:index:label` where the line of that index in `labels` says something.
///
/// Source: `TopkClassifications` in Triton 2.51. Equal elements come in their order, `NaN` comes last.
///
/// # Errors
///
/// [`CodecError::Classification`] for `BOOL`, `FP16`, `BF16` and `BYTES`.
///
/// # Examples
///
/// ```
/// # use pytriton_runtime::kserve::classify;
/// # use pytriton_runtime::tensor::Tensor;
/// let tensor = Tensor::from_elements(vec![1, 3], vec![0.25_f32, 0.5, 0.125]).unwrap();
/// let classes = classify(&tensor, true, 2, "\nfish").unwrap();
/// assert_eq!(classes.elements::<String>().unwrap(), vec!["0.500000:1:fish", "0.250000:0"]);
/// ```
pub fn classify(
    tensor: &Tensor,
    batching: bool,
    classes: usize,
    labels: &str,
) -> Result<Tensor, CodecError> {
    let labels: Vec<&str> = labels.lines().collect();
    let labels = &labels[..];
    match tensor.datatype() {
        DataType::Uint8 => top::<u8>(tensor, batching, classes, labels),
        DataType::Uint16 => top::<u16>(tensor, batching, classes, labels),
        DataType::Uint32 => top::<u32>(tensor, batching, classes, labels),
        DataType::Uint64 => top::<u64>(tensor, batching, classes, labels),
        DataType::Int8 => top::<i8>(tensor, batching, classes, labels),
        DataType::Int16 => top::<i16>(tensor, batching, classes, labels),
        DataType::Int32 => top::<i32>(tensor, batching, classes, labels),
        DataType::Int64 => top::<i64>(tensor, batching, classes, labels),
        DataType::Fp32 => top::<f32>(tensor, batching, classes, labels),
        DataType::Fp64 => top::<f64>(tensor, batching, classes, labels),
        datatype => Err(CodecError::Classification { datatype }),
    }
}

fn top<T: Element + Score>(
    tensor: &Tensor,
    batching: bool,
    classes: usize,
    labels: &[&str],
) -> Result<Tensor, CodecError> {
    let error = |source: TensorError| CodecError::Output {
        output: Arc::default(),
        source,
    };
    let elements = tensor.elements::<T>().map_err(error)?;
    let (rows, dims) = match tensor.shape() {
        [rows, dims @ ..] if batching => (Some(*rows), dims),
        dims => (None, dims),
    };
    let width = element_count(dims).map_err(error)?;
    let count = classes.min(width);
    let mut texts = Vec::with_capacity(rows.unwrap_or(1).saturating_mul(count));
    for row in elements.chunks(width.max(1)) {
        let ranks = row.iter().map(Score::rank);
        let places = sorted(ranks.zip(0..).collect());
        texts.extend(places.iter().take(count).map(|&(_, index)| {
            let text = row[index].text();
            match labels.get(index) {
                Some(label) if !label.is_empty() => format!("{text}:{index}:{label}"),
                _ => format!("{text}:{index}"),
            }
        }));
    }
    let shape: Vec<usize> = rows.into_iter().chain([count]).collect();
    Tensor::from_elements(shape, texts).map_err(error)
}

/// Ranks with the indices of their elements, in their order: what sorts is compiled once, not for each type of elements.
fn sorted(mut ranks: Vec<(u64, usize)>) -> Vec<(u64, usize)> {
    ranks.sort_unstable();
    ranks
}

/// A number that has a rank and is shown as C++'s `std::to_string` shows it.
trait Score {
    /// The smaller, the larger it is.
    fn rank(&self) -> u64;
    fn text(&self) -> String;
}

/// The bit that tells numbers below zero.
const SIGN: u64 = 1 << 63;

fn unsigned(number: u64) -> u64 {
    !number
}

fn signed(number: i64) -> u64 {
    !(number.cast_unsigned() ^ SIGN)
}

fn float(number: f64) -> u64 {
    if number.is_nan() {
        return u64::MAX;
    }
    // Both zeros are equal.
    let bits = (number + 0.0).to_bits();
    if bits & SIGN == 0 {
        !(bits | SIGN)
    } else {
        bits
    }
}

macro_rules! integer_score {
    ($rank:ident; $($rust:ty),*) => {$(
        impl Score for $rust {
            fn rank(&self) -> u64 {
                $rank((*self).into())
            }

            fn text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

integer_score!(unsigned; u8, u16, u32, u64);
integer_score!(signed; i8, i16, i32, i64);

macro_rules! float_score {
    ($($rust:ty),*) => {$(
        impl Score for $rust {
            fn rank(&self) -> u64 {
                float((*self).into())
            }

            fn text(&self) -> String {
                let sign = if self.is_sign_negative() { "-" } else { "" };
                match (self.is_nan(), self.is_infinite()) {
                    (true, _) => format!("{sign}nan"),
                    (_, true) => format!("{sign}inf"),
                    _ => format!("{self:.6}"),
                }
            }
        }
    )*};
}

float_score!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_largest_of_each_row() {
        let table: &[(bool, usize, &[usize], &[&str])] = &[
            (true, 1, &[2, 1], &["2.000000:1", "4.000000:1"]),
            (
                true,
                9,
                &[2, 2],
                &["2.000000:1", "1.000000:0", "4.000000:1", "nan:0"],
            ),
            (false, 3, &[3], &["4.000000:3", "2.000000:1", "1.000000:0"]),
        ];
        let tensor = Tensor::from_elements(vec![2, 2], vec![1.0_f32, 2.0, f32::NAN, 4.0]).unwrap();
        for (batching, classes, shape, texts) in table {
            let got = classify(&tensor, *batching, *classes, "").unwrap();
            assert_eq!(got.shape(), *shape);
            assert_eq!(got.elements::<String>().unwrap().as_ref(), *texts);
        }
    }

    #[test]
    fn shows_numbers_as_cpp_does() {
        let tensor =
            Tensor::from_elements(vec![1, 4], vec![2e30_f32, 1.5e-9, f32::NEG_INFINITY, -0.0])
                .unwrap();
        let got = classify(&tensor, true, 4, "").unwrap();
        let expected = [
            "2000000030094932439753377710080.000000:0",
            "0.000000:1",
            "-0.000000:3",
            "-inf:2",
        ];
        assert_eq!(got.elements::<String>().unwrap().as_ref(), expected);
        let tensor = Tensor::from_elements(vec![1, 2], vec![1_i8, 1]).unwrap();
        let got = classify(&tensor, true, 2, "").unwrap();
        assert_eq!(got.elements::<String>().unwrap().as_ref(), ["1:0", "1:1"]);
    }

    #[test]
    fn each_type_has_its_order() {
        fn order<T: Element>(elements: Vec<T>) -> Vec<String> {
            let tensor = Tensor::from_elements(vec![elements.len()], elements).unwrap();
            let classes = classify(&tensor, false, usize::MAX, "").unwrap();
            let texts = classes.elements::<String>().unwrap();
            texts
                .iter()
                .map(|text| text.split_once(':').unwrap().1.to_owned())
                .collect()
        }
        assert_eq!(order(vec![0, u64::MAX, 1, 0]), ["1", "2", "0", "3"]);
        assert_eq!(
            order(vec![0, i64::MIN, 1, i64::MAX, -1]),
            ["3", "2", "0", "4", "1"]
        );
        assert_eq!(order(vec![0_i8, -128, 127, -1]), ["2", "0", "3", "1"]);
        let (none, most) = (f64::NAN, f64::INFINITY);
        let floats = vec![
            -0.0,
            none,
            0.0,
            -most,
            -1e-300,
            2.0,
            most,
            -none,
            -2.0,
            f64::MIN,
        ];
        assert_eq!(
            order(floats),
            ["6", "5", "0", "2", "4", "8", "9", "3", "1", "7"]
        );
    }

    #[test]
    fn empty_rows_have_no_classes_and_texts_no_order() {
        let empty = Tensor::from_elements::<f32>(vec![2, 0], vec![]).unwrap();
        assert_eq!(classify(&empty, true, 3, "").unwrap().shape(), [2, 0]);
        let text = Tensor::from_elements(vec![1, 1], vec!["a".to_owned()]).unwrap();
        let error = classify(&text, true, 1, "").unwrap_err();
        assert_eq!(
            error.to_string(),
            "class result not available for output due to unsupported type 'BYTES'"
        );
    }
}
