//! The models of the tests.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pytriton::elements::{Bytes, BytesElement, ElementError, Json};
use pytriton::prelude::*;

/// The rows of the largest call that summed digits.
pub(crate) static MAX_ROWS: AtomicUsize = AtomicUsize::new(0);

/// The elements that `Passthrough` has received.
pub(crate) static RECEIVED: Mutex<Vec<Bytes>> = Mutex::new(Vec::new());

/// A number of one digit. The texts `!` and `?` are bugs of the decoder. The text `+1` takes too
/// much memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Digit(pub(crate) u8);

impl BytesElement for Digit {
    fn decode(element: Bytes) -> Result<Self, ElementError> {
        assert_ne!(&element[..], b"!", "an exclamation mark");
        let digit: u8 = std::str::from_utf8(&element)?.parse()?;
        match digit {
            0..10 => Ok(Self(digit)),
            _ => Err(format!("{digit} has several digits").into()),
        }
    }

    fn encode(&self) -> Result<Bytes, ElementError> {
        match self.0 {
            digit @ 0..10 => Ok(digit.to_string().into()),
            number => Err(format!("{number} has several digits").into()),
        }
    }

    fn decoded_bytes(element: &[u8]) -> usize {
        assert_ne!(element, b"?", "a question mark");
        match element {
            b"+1" => usize::MAX,
            _ => 0,
        }
    }
}

/// Returns the sum of each row as a digit.
pub(crate) fn sums(x: ArrayView2<Digit>) -> Array2<Digit> {
    MAX_ROWS.fetch_max(x.nrows(), Ordering::Relaxed);
    x.map_axis(Axis(1), |row| Digit(row.iter().map(|digit| digit.0).sum()))
        .insert_axis(Axis(1))
}

/// The sum of each row as a digit. A sum of 10 or more cannot be encoded.
#[pytriton::model(
    name = "Digits",
    client = Digits,
    max_batch_size = 8,
    preferred_batch_size = [8],
    max_queue_delay_microseconds = 300_000,
)]
#[batch]
pub(crate) fn digits(x: ArrayView2<Digit>) -> Array2<Digit> {
    sums(x)
}

/// The same with groups. The first is called before the second is read.
#[pytriton::model(
    name = "GroupedDigits",
    client = GroupedDigits,
    max_batch_size = 8,
    preferred_batch_size = [8],
    max_queue_delay_microseconds = 300_000,
)]
#[batch]
#[group_by_values(key)]
pub(crate) fn grouped_digits(x: ArrayView2<Digit>, key: ArrayView2<i32>) -> Array2<Digit> {
    let _ = key;
    sums(x)
}

/// The input and its double.
#[pytriton::model(name = "Doubled", max_batch_size = 8)]
#[batch]
fn doubled(x: ArrayView2<Digit>) -> (Array2<Digit>, Array2<Digit>) {
    (x.to_owned(), x.mapv(|digit| Digit(2 * digit.0)))
}

/// The input three times, each time incremented.
#[pytriton::model(
    name = "Increments",
    max_batch_size = 8,
    preferred_batch_size = [8],
    max_queue_delay_microseconds = 300_000,
)]
#[batch]
fn increments(x: Array2<Digit>) -> impl Iterator<Item = Array2<Digit>> {
    (0..3).map(move |item| x.mapv(|digit| Digit(digit.0 + item)))
}

/// The bytes without a copy, and their number.
#[pytriton::model(name = "Passthrough", client = Passthrough, max_batch_size = 8)]
#[batch]
pub(crate) fn passthrough(x: ArrayView2<Bytes>) -> (Array2<Bytes>, Array2<u64>) {
    let mut received = RECEIVED
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    received.extend(x.iter().cloned());
    (x.to_owned(), x.mapv(|element| element.len() as u64))
}

/// One value for all rows, and an optional one.
#[pytriton::model(name = "Weighted", client = Weighted, max_batch_size = 8)]
#[batch]
pub(crate) fn weighted(
    x: ArrayView2<f32>,
    #[first_value] weights: Json<BTreeMap<String, f32>>,
    #[first_value] digit: Option<Digit>,
) -> (Array2<f32>, Array2<Json<BTreeMap<String, f32>>>) {
    let Json(weights) = weights;
    let factor = weights.values().sum::<f32>() + digit.map_or(0.0, |digit| f32::from(digit.0));
    let rows = x.nrows();
    (&x * factor, Array2::from_elem((rows, 1), Json(weights)))
}
