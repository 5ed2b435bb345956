use std::fmt::Write;
use std::sync::Arc;

use bytemuck::AnyBitPattern;
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_protocol::tensor::{DataType, Element, Tensor, TensorError, element_count, numbers};

use crate::error::CodecError;

/// Returns the `classes` largest elements of a tensor, or of each row if there is a batch axis. The
/// result is a `BYTES` tensor of `value:index`, or `value:index:label` if that line of `labels` is
/// not empty.
///
/// Source: `TopkClassifications` in Triton 2.51. Equal elements keep their order, and `NaN` is
/// last.
///
/// Memory is reserved with `permit`: the text, and the ranks of at most twice as many elements as
/// are returned for a row.
///
/// # Errors
///
/// Returns [`CodecError::Classification`] for `BOOL`, `FP16`, `BF16` and `BYTES`, or
/// [`CodecError::Budget`] if the memory cannot be reserved.
///
/// # Examples
///
/// ```
/// # use pytriton_kserve::classify;
/// # use pytriton_core::memory_budget::MemoryBudget;
/// # use pytriton_protocol::tensor::Tensor;
/// let tensor = Tensor::from_elements(vec![1, 3], vec![0.25_f32, 0.5, 0.125]).unwrap();
/// let permit = MemoryBudget::new(1 << 20).empty_permit();
/// let classes = classify(&tensor, true, 2, "\nfish", permit).unwrap();
/// assert_eq!(classes.elements::<String>().unwrap(), vec!["0.500000:1:fish", "0.250000:0"]);
/// ```
pub fn classify(
    tensor: &Tensor,
    batching: bool,
    classes: usize,
    labels: &str,
    permit: MemoryPermit,
) -> Result<TrackedTensor, CodecError> {
    let labels: Vec<&str> = labels.lines().collect();
    let labels = &labels[..];
    let mut texts = Texts::new(labels, permit);
    let texts = &mut texts;
    match tensor.datatype() {
        DataType::Uint8 => top::<u8>(tensor, batching, classes, texts),
        DataType::Uint16 => top::<u16>(tensor, batching, classes, texts),
        DataType::Uint32 => top::<u32>(tensor, batching, classes, texts),
        DataType::Uint64 => top::<u64>(tensor, batching, classes, texts),
        DataType::Int8 => top::<i8>(tensor, batching, classes, texts),
        DataType::Int16 => top::<i16>(tensor, batching, classes, texts),
        DataType::Int32 => top::<i32>(tensor, batching, classes, texts),
        DataType::Int64 => top::<i64>(tensor, batching, classes, texts),
        DataType::Fp32 => top::<f32>(tensor, batching, classes, texts),
        DataType::Fp64 => top::<f64>(tensor, batching, classes, texts),
        datatype => Err(CodecError::Classification { datatype }),
    }
}

fn top<T: Element + AnyBitPattern + Score>(
    tensor: &Tensor,
    batching: bool,
    classes: usize,
    texts: &mut Texts<'_>,
) -> Result<TrackedTensor, CodecError> {
    let error = |source: TensorError| CodecError::Output {
        output: Arc::default(),
        source,
    };
    let mut scratch = texts.buffer.sibling();
    let (rows, dims) = match tensor.shape() {
        [rows, dims @ ..] if batching => (Some(*rows), dims),
        dims => (None, dims),
    };
    let width = element_count(dims).map_err(error)?;
    let count = classes.min(width);
    let mut largest = Largest::new(count, width, &mut scratch)?;
    let row_bytes = width.max(1).saturating_mul(size_of::<T>());
    for row in tensor.data().chunks(row_bytes) {
        for (index, element) in numbers::<T>(row).enumerate() {
            largest.push(element.rank(), index);
        }
        for &(_, index) in largest.sorted() {
            if let Some(element) = numbers::<T>(&row[index * size_of::<T>()..]).next() {
                texts.push(index, &|text| element.write(text))?;
            }
        }
        largest.clear();
    }
    let shape: Vec<usize> = rows.into_iter().chain([count]).collect();
    let data = texts.buffer.take().freeze();
    TrackedTensor::of_bytes(DataType::Bytes, shape, data).map_err(error)
}

/// Finds the largest elements of a row, as pairs of rank and index. A smaller rank means a larger
/// element.
#[derive(Debug)]
struct Largest {
    count: usize,
    /// The number of candidates at which the largest ranks are dropped.
    most: usize,
    ranked: Vec<(u64, usize)>,
    /// Only pairs below this can be among the largest elements.
    bound: Option<(u64, usize)>,
}

impl Largest {
    /// Creates a search for the `count` largest elements of rows of `width` elements.
    fn new(
        count: usize,
        width: usize,
        scratch: &mut MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        let most = count.saturating_mul(2).min(width);
        scratch.grow(most.saturating_mul(size_of::<(u64, usize)>()))?;
        Ok(Self {
            count,
            most,
            ranked: Vec::with_capacity(most),
            bound: None,
        })
    }

    #[inline]
    fn push(&mut self, rank: u64, index: usize) {
        let one = (rank, index);
        if self.bound.is_some_and(|bound| one >= bound) {
            return;
        }
        if self.ranked.len() == self.most {
            self.cut();
            if self.bound.is_none_or(|bound| one >= bound) {
                return;
            }
        }
        self.ranked.push(one);
    }

    #[cold]
    fn cut(&mut self) {
        let last = self.count.saturating_sub(1);
        if last < self.ranked.len() {
            self.ranked.select_nth_unstable(last);
            self.bound = self.ranked.get(last).copied();
        }
        self.ranked.truncate(self.count);
    }

    fn sorted(&mut self) -> &[(u64, usize)] {
        self.ranked.sort_unstable();
        self.ranked.truncate(self.count);
        &self.ranked
    }

    fn clear(&mut self) {
        self.ranked.clear();
        self.bound = None;
    }
}

/// The texts of classes as the elements of a tensor.
#[derive(Debug)]
struct Texts<'a> {
    labels: &'a [&'a str],
    buffer: TrackedBuffer,
    /// The text that is being written.
    text: String,
}

impl<'a> Texts<'a> {
    fn new(labels: &'a [&'a str], permit: MemoryPermit) -> Self {
        Self {
            labels,
            buffer: TrackedBuffer::new(permit),
            text: String::new(),
        }
    }

    fn push(&mut self, index: usize, write: &dyn Fn(&mut String)) -> Result<(), CodecError> {
        let text = &mut self.text;
        text.clear();
        write(text);
        // Writing to a `String` cannot fail.
        let _ = write!(text, ":{index}");
        if let Some(label) = self.labels.get(index).filter(|label| !label.is_empty()) {
            text.push(':');
            text.push_str(label);
        }
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.buffer.extend_from_slice(&length.to_le_bytes())?;
        self.buffer.extend_from_slice(text.as_bytes())?;
        Ok(())
    }
}

/// A number that can be ranked, and is formatted like C++'s `std::to_string`.
trait Score {
    /// Returns the rank. A smaller rank means a larger number.
    fn rank(&self) -> u64;
    fn write(&self, text: &mut String);
}

/// The sign bit.
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

            fn write(&self, text: &mut String) {
                text.push_str(itoa::Buffer::new().format(*self));
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

            fn write(&self, text: &mut String) {
                let sign = if self.is_sign_negative() { "-" } else { "" };
                // Writing to a `String` cannot fail.
                let _ = match (self.is_nan(), self.is_infinite()) {
                    (true, _) => write!(text, "{sign}nan"),
                    (_, true) => write!(text, "{sign}inf"),
                    _ => write!(text, "{self:.6}"),
                };
            }
        }
    )*};
}

float_score!(f32, f64);

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    fn classify(
        tensor: &Tensor,
        batching: bool,
        classes: usize,
        labels: &str,
    ) -> Result<Tensor, CodecError> {
        let permit = MemoryPermit::unlimited();
        let classes = super::classify(tensor, batching, classes, labels, permit);
        classes.map(TrackedTensor::into_tensor)
    }

    #[test]
    fn largest_elements_of_each_row_are_returned() {
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
    fn numbers_are_formatted_like_cpp() {
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
    fn each_datatype_is_ordered() {
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
    fn empty_rows_have_no_classes_and_text_is_refused() {
        let empty = Tensor::from_elements::<f32>(vec![2, 0], vec![]).unwrap();
        assert_eq!(classify(&empty, true, 3, "").unwrap().shape(), [2, 0]);
        let text = Tensor::from_elements(vec![1, 1], vec!["a".to_owned()]).unwrap();
        let error = classify(&text, true, 1, "").unwrap_err();
        assert_eq!(
            error.to_string(),
            "class result not available for output due to unsupported type 'BYTES'"
        );
    }

    #[test]
    fn memory_is_reserved_for_returned_classes() {
        const MIB: usize = 1 << 20;
        let elements: Vec<u8> = (0..251).cycle().take(MIB).collect();
        let tensor = Tensor::from_elements(vec![1, MIB], elements).unwrap();
        // The number of requested classes, the budget, and whether it is sufficient.
        for (classes, limit, fits) in [
            (5, 4 << 10, true),
            (1000, 64 << 10, true),
            (1000, 16 << 10, false),
            (usize::MAX, 16 * MIB, false),
            (usize::MAX, 80 * MIB, true),
        ] {
            let budget = MemoryBudget::new(limit);
            let permit = budget.empty_permit();
            match super::classify(&tensor, true, classes, "", permit) {
                Ok(texts) => {
                    assert!(fits, "{classes} in {limit}");
                    assert_eq!(texts.shape(), [1, classes.min(MIB)]);
                    let bytes = texts.data().len();
                    assert!(bytes < 4 << 10 || budget.reserved() >= bytes);
                    let first = texts.elements::<String>().unwrap();
                    assert_eq!((&*first[0], &*first[1]), ("250:250", "250:501"));
                }
                Err(error) => {
                    assert!(!fits, "{classes} in {limit}");
                    assert!(matches!(error, CodecError::Budget(_)));
                }
            }
            assert_eq!(budget.reserved(), 0);
        }
    }

    #[test]
    fn selection_equals_sorting() {
        for width in [0, 1, 2, 7, 300] {
            let row: Vec<u64> = (0..width).map(|index| index * 7919 % 31).collect();
            let mut all: Vec<(u64, usize)> = row.iter().copied().zip(0..).collect();
            all.sort_unstable();
            for count in [1, 2, 3, 6, 7, 150, 299, 300] {
                let count = count.min(row.len());
                let mut scratch = MemoryPermit::unlimited();
                let mut largest = Largest::new(count, row.len(), &mut scratch).unwrap();
                for _ in 0..2 {
                    for (index, rank) in row.iter().enumerate() {
                        largest.push(*rank, index);
                    }
                    assert_eq!(largest.sorted(), &all[..count], "{count} of {width}");
                    largest.clear();
                }
            }
        }
    }
}
